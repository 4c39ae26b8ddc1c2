/// The names and addresses by which a machine reaches itself.
public enum Loopback {
    /// True if a URL's host can only be this machine: `localhost`, `::1`, or 127.0.0.0/8 as four decimal numbers.
    ///
    /// Only the written form counts: `127.0.0.1.example` and `127.1` are names that another machine may have.
    public static func contains(host: some StringProtocol) -> Bool {
        let host = host.lowercased()
        if host == "localhost" || host == "::1" || host == "[::1]" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127"
            && numbers.allSatisfy { number in UInt8(number).map { "\($0)" == number } ?? false }
    }
}
