import Foundation
import Localization

/// A row of a list of facts: a label and its value.
enum FactRow {
    /// The values of the template.
    ///
    /// - Parameters:
    ///   - key: The name of the label's sentence.
    ///   - value: The fact.
    ///   - texts: The sentences.
    /// - Returns: The values.
    static func value(_ key: String, _ value: String, _ texts: PageTexts) -> TemplateValue {
        ["factLabel": .text(texts.text(key)), "factValue": .text(value)]
    }

    /// How long ago a time was, in words.
    static func age(of time: Date, now: Date, _ texts: PageTexts) -> String {
        let seconds = Int(min(max(now.timeIntervalSince(time), 0), 86_400))
        return seconds < 120
            ? texts.text("ago.seconds", ["count": "\(seconds)"])
            : texts.text("ago.minutes", ["count": "\(seconds / 60)"])
    }
}
