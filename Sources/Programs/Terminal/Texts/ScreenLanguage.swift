public import FlowModel
import Foundation

/// A language in which the command lines speak to people.
public enum ScreenLanguage: String, CaseIterable, Sendable {
    /// English, which is for everybody whose language is missing.
    case english = "en"
    /// German.
    case german = "de"

    /// The language of the person at this program's terminal.
    public static var current: ScreenLanguage { ScreenLanguage(environment: ProcessInfo.processInfo.environment) }

    /// The first of a person's languages that there is.
    public init(environment: [String: String]) {
        self = LanguageTag.wanted(in: environment).lazy.compactMap(Self.init(meeting:)).first ?? .english
    }

    /// The tag under which a daemon is asked for a person's language: one that this side speaks, too, else the best.
    public static func tag(environment: [String: String]) -> LanguageTag? {
        let wanted = LanguageTag.wanted(in: environment)
        return wanted.first { ScreenLanguage(meeting: $0) != nil } ?? wanted.first
    }

    private init?(meeting tag: LanguageTag) {
        guard let found = tag.ranges.lazy.compactMap({ Self(rawValue: $0) }).first else { return nil }
        self = found
    }
}

/// A sentence for people, in every language; what programs read is never one.
public protocol ScreenText: Sendable {
    /// The sentence in English.
    var english: String { get }
    /// The sentence in German.
    var german: String { get }
}

extension ScreenText {
    /// The sentence in the language of the person at the terminal.
    public var text: String { text(in: .current) }

    /// The sentence in a language.
    public func text(in language: ScreenLanguage) -> String {
        switch language {
        case .english: english
        case .german: german
        }
    }
}
