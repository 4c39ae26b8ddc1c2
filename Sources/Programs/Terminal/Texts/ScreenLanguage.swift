public import ArgumentParser
public import FlowModel
import Foundation
import Localization

/// The language of the command-line programs.
public enum ScreenLanguage {
    /// The language in which this program prints text for the user who runs it.
    public static let current = of(ProcessInfo.processInfo.environment)

    /// Returns the first of the user's languages that has a catalog, or English if none of them has a catalog.
    static func of(_ environment: [String: String]) -> LanguageTag {
        LanguageTag.wanted(in: environment).lazy.compactMap { Catalog.of($0)?.language }.first ?? .english
    }

    /// Returns the language to request from a daemon, or `nil` if the user has not set a language.
    ///
    /// The result is the first of the user's languages that has a local catalog. If none of them has a catalog, the
    /// result is the first of the user's languages.
    public static func tag(environment: [String: String]) -> LanguageTag? {
        let wanted = LanguageTag.wanted(in: environment)
        return wanted.first { Catalog.of($0) != nil } ?? wanted.first
    }
}

extension Text {
    /// The text in the user's language.
    public var text: String { words(in: ScreenLanguage.current) }

    static func action(_ name: String) -> Text {
        switch name {
        case "create": Text("cli.terminal.action.create")
        case "resend": Text("cli.terminal.action.resend")
        case "back": Text("cli.terminal.action.back")
        case "forgot": Text("cli.terminal.action.forgot")
        case "choose": Text("cli.terminal.action.choose")
        default: Text("cli.terminal.action", ["name": name])
        }
    }

    /// Returns the message for a typed action, such as `:back`, that the step does not offer.
    static func noAction(_ name: String, offered: [String]) -> Text {
        if offered.isEmpty { return Text("cli.terminal.noAction.none", ["name": name]) }
        return Text("cli.terminal.noAction", ["name": name, "offered": Text.and(offered), "count": offered.count])
    }

    static func noCommand(_ command: String, nearest: String?) -> Text {
        guard let nearest else { return Text("cli.terminal.noCommand", ["command": command]) }
        return Text("cli.terminal.noCommand.nearest", ["command": command, "nearest": nearest])
    }

    /// Returns the message that states which user opened the sign-in link.
    ///
    /// If `user` is `nil`, the message contains only the uid.
    static func openedBy(_ user: String?, uid: UInt32) -> Text {
        guard let user else { return Text("cli.terminal.openedByUID", ["uid": uid]) }
        return Text("cli.terminal.openedBy", ["user": user, "uid": uid])
    }
}

extension ValidationError {
    /// Creates an error with a message from the catalogs.
    public init(_ text: Text) {
        self.init(text.text)
    }
}
