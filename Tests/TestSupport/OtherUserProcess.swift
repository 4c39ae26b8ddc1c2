import Foundation
import Glibc

/// A Python interpreter that runs statements as another user.
///
/// It requires root, and ends when this object is deallocated.
public final class OtherUserProcess {
    /// A uid that no other process on the machine uses.
    public static let uid: UInt32 = 54_321

    /// The error of a failed statement, with the interpreter's message.
    struct Failed: Error {
        let statement: String
        let words: String
    }

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var unread = Data()

    private static let loop = """
        import os, socket, sys
        uid = int(sys.argv[1])
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        for line in sys.stdin:
            try:
                answer = None
                exec(line)
                print(answer, flush=True)
            except Exception as error:
                print("failed:", repr(error), flush=True)
        """

    /// Starts the interpreter as the user with this uid.
    public init(_ uid: UInt32 = OtherUserProcess.uid) throws {
        try requireRoot("becomes another user")
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = ["-c", Self.loop, "\(uid)"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Runs one line of Python, which may set the variable `answer`.
    ///
    /// - Returns: The value of `answer`, as Python prints it.
    /// - Throws: An error with the interpreter's message if the line fails.
    @discardableResult
    public func run(_ statement: String) throws -> String {
        try input.fileHandleForWriting.write(contentsOf: Data((statement + "\n").utf8))
        while !unread.contains(UInt8(ascii: "\n")) {
            let piece = output.fileHandleForReading.availableData
            guard !piece.isEmpty else { throw Failed(statement: statement, words: "it has ended") }
            unread.append(piece)
        }
        let words = String(decoding: unread.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        unread = unread.drop { $0 != UInt8(ascii: "\n") }.dropFirst()
        guard !words.hasPrefix("failed:") else { throw Failed(statement: statement, words: words) }
        return words
    }

    /// Listens at an address and stores the socket in the Python variable `listener`.
    ///
    /// - Parameters:
    ///   - address: An IPv4 address, optionally in IPv6 notation, or an IPv6 address. `::` accepts both families.
    ///   - port: The port, or 0 for any free port.
    /// - Returns: The port.
    /// - Throws: An error with the interpreter's message if the interpreter cannot listen.
    public func listen(at address: String, port: UInt16 = 0) throws -> UInt16 {
        let family = address.contains(":") ? "AF_INET6" : "AF_INET"
        try run("listener = socket.socket(socket.\(family))")
        try run("listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)")
        if address.contains(":") { try run("listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)") }
        try run("listener.bind(('\(address)', \(port))); listener.listen()")
        return UInt16(try run("answer = listener.getsockname()[1]")) ?? 0
    }
}
