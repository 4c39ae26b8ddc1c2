/// The line that `--check` prints for files without errors, such as `OK: tokenbrokerd.yaml, 7 policies, 0 warnings`.
public struct CheckLine: Hashable, Sendable {
    /// The line.
    public let text: String

    /// Creates the line.
    ///
    /// - Parameters:
    ///   - file: The path of the configuration, or `nil` for the built-in defaults.
    ///   - parts: What the configuration defines, each with its number, such as `7 policies`.
    ///   - warnings: The number of warnings.
    public init(file: String?, parts: [String], warnings: Int) {
        let words = [file ?? "built-in defaults"] + parts + [Self.count(warnings, "warning", "warnings")]
        text = "OK: " + words.joined(separator: ", ")
    }

    /// Returns a number followed by the noun: `one` for 1, otherwise `many`.
    public static func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(number) \(number == 1 ? one : many)"
    }
}
