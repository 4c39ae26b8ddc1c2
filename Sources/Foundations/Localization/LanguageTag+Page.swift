public import FlowModel
import Foundation

extension LanguageTag {
    /// Whether the language is written from right to left.
    public var isRightToLeft: Bool { Self.rightToLeft.contains(primary.rawValue) }

    /// The name of the language in the language itself, such as `Deutsch`.
    public var name: String {
        let locale = Locale(identifier: rawValue)
        guard let name = locale.localizedString(forIdentifier: rawValue), let first = name.first else {
            return rawValue
        }
        return first.uppercased() + name.dropFirst()
    }

    private static let rightToLeft: Set<String> = ["ar", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"]
}
