/// The line that `--check` prints for valid files, such as `OK: tokenbrokerd.yaml, 7 policies, 0 warnings`.
public struct CheckLine: Hashable, Sendable {
    /// The text of the line.
    public let text: String

    /// Creates the line for a file, or for the built-in defaults if `file` is `nil`, with parts such as `7 policies`.
    public init(file: String?, parts: [String], warnings: Int) {
        let words = [file ?? "built-in defaults"] + parts + [Self.count(warnings, "warning", "warnings")]
        text = "OK: " + words.joined(separator: ", ")
    }

    /// Returns a number followed by a noun, which is `one` if the number is 1, or `many` otherwise.
    public static func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(number) \(number == 1 ? one : many)"
    }
}
