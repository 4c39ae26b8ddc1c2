import Foundation
import Localization

/// A row in a list of facts: a label and its value.
enum FactRow {
    /// Returns the template's values for one fact.
    ///
    /// - Parameters:
    ///   - key: The catalog key of the label.
    ///   - value: The value to show.
    ///   - texts: The texts in the page's language.
    /// - Returns: The values.
    static func value(_ key: String, _ value: String, _ texts: PageTexts) -> TemplateValue {
        ["factLabel": .text(texts.text(key)), "factValue": .text(value)]
    }

    /// Returns the time since `time` in the page's language, for example "5 minutes ago".
    static func age(of time: Date, now: Date, _ texts: PageTexts) -> String {
        let seconds = Int(min(max(now.timeIntervalSince(time), 0), 86_400))
        return seconds < 120
            ? texts.text("ago.seconds", ["count": "\(seconds)"])
            : texts.text("ago.minutes", ["count": "\(seconds / 60)"])
    }
}
