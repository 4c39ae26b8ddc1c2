public import ArgumentParser
public import FlowModel
import Foundation
import Localization

/// The language in which the command lines speak to people: one that there is a catalog of.
public enum ScreenLanguage {
    /// The language of the person at this program's terminal.
    public static let current = of(ProcessInfo.processInfo.environment)

    /// The first of a person's languages that there is, else English.
    static func of(_ environment: [String: String]) -> LanguageTag {
        LanguageTag.wanted(in: environment).lazy.compactMap { Catalog.of($0)?.language }.first ?? .english
    }

    /// The tag under which a daemon is asked for a person's language: one that this side speaks, too, else the best.
    public static func tag(environment: [String: String]) -> LanguageTag? {
        let wanted = LanguageTag.wanted(in: environment)
        return wanted.first { Catalog.of($0) != nil } ?? wanted.first
    }
}

extension Text {
    /// The sentence in the language of the person at the terminal.
    public var text: String { words(in: ScreenLanguage.current) }

    /// The advice for an action that can be typed instead of an answer.
    static func action(_ name: String) -> Text {
        switch name {
        case "create": Text("cli.terminal.action.create")
        case "resend": Text("cli.terminal.action.resend")
        case "back": Text("cli.terminal.action.back")
        default: Text("cli.terminal.action", ["name": name])
        }
    }

    /// The answer to a word with a colon that the step does not offer.
    static func noAction(_ name: String, offered: [String]) -> Text {
        if offered.isEmpty { return Text("cli.terminal.noAction.none", ["name": name]) }
        return Text("cli.terminal.noAction", ["name": name, "offered": Text.and(offered), "count": offered.count])
    }

    /// The answer to a word that is no command.
    static func noCommand(_ command: String, nearest: String?) -> Text {
        guard let nearest else { return Text("cli.terminal.noCommand", ["command": command]) }
        return Text("cli.terminal.noCommand.nearest", ["command": command, "nearest": nearest])
    }

    /// Says that another user of this machine opened the link; the name is nil if the system knows none.
    static func openedBy(_ user: String?, uid: UInt32) -> Text {
        guard let user else { return Text("cli.terminal.openedByUID", ["uid": uid]) }
        return Text("cli.terminal.openedBy", ["user": user, "uid": uid])
    }
}

extension ValidationError {
    /// Refuses arguments with a sentence of the catalogs.
    public init(_ text: Text) {
        self.init(text.text)
    }
}
