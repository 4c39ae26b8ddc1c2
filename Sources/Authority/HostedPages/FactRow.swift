import Foundation
import Localization

enum FactRow {
    static func value(_ key: String, _ value: String, _ texts: PageTexts) -> TemplateValue {
        ["factLabel": .text(texts.text(key)), "factValue": .text(value)]
    }

    /// Returns how long ago `time` was, in the page's language, for example "5 minutes ago".
    static func age(of time: Date, now: Date, _ texts: PageTexts) -> String {
        let seconds = Int(min(max(now.timeIntervalSince(time), 0), 86_400))
        return seconds < 120
            ? texts.text("ago.seconds", ["count": "\(seconds)"])
            : texts.text("ago.minutes", ["count": "\(seconds / 60)"])
    }
}
