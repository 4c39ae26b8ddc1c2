import OAuth

/// The code that a person types for a device or a terminal (RFC 8628 §6.1): eight consonants, so that no word comes about.
public enum UserCode {
    /// 20 letters without vowels; 8 of them have 34 bits.
    private static let letters = Array("BCDFGHJKLMNPQRSTVWXZ")
    private static let length = 8

    /// Makes one, in its canonical form.
    public static func random() -> String {
        String((0..<length).map { _ in letters[Int.random(in: 0..<letters.count)] })
    }

    /// The code as it is shown: two halves with a dash.
    public static func shown(_ code: String) -> String { "\(code.prefix(length / 2))-\(code.suffix(length / 2))" }

    /// The canonical form of a code as somebody typed it; nil if it cannot be one.
    public static func canonical(_ text: String) -> String? {
        guard text.utf8.count <= 64 else { return nil }
        let code = text.uppercased().filter { !$0.isWhitespace && !$0.isPunctuation }
        return code.count == length && code.allSatisfy(letters.contains) ? code : nil
    }
}
