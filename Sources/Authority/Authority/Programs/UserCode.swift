import OAuth

/// A code of eight consonants, never a word, with which a user signs in on a device or terminal (RFC 8628 §6.1).
public enum UserCode {
    /// The letters that a code can contain, so that a code of eight random letters has 34 bits of entropy.
    private static let letters = Array("BCDFGHJKLMNPQRSTVWXZ")
    private static let length = 8

    /// Returns a random code in its canonical form.
    public static func random() -> String {
        String((0..<length).map { _ in letters[Int.random(in: 0..<letters.count)] })
    }

    /// Returns the code for display, as two halves joined by a hyphen.
    public static func shown(_ code: String) -> String { "\(code.prefix(length / 2))-\(code.suffix(length / 2))" }

    /// Returns the canonical form of a code that a user typed, or `nil` if the input cannot be a code.
    public static func canonical(_ text: String) -> String? {
        guard text.utf8.count <= 64 else { return nil }
        let code = CodeText.folded(text).filter { !$0.isPunctuation }
        return code.count == length && code.allSatisfy(letters.contains) ? code : nil
    }
}
