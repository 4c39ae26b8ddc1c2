import FlowModel
import Localization

/// A sentence of the argument parser about wrong arguments, which the parser has in English only.
enum UsageText {
    /// The sentence in a language; as it is, if it is another one.
    static func text(_ english: String, in language: LanguageTag) -> String {
        language == .english ? english : known(english)?.words(in: language) ?? english
    }

    private static func known(_ english: String) -> Text? {
        if let match = english.wholeMatch(of: /Unknown option '(.+?)'(?:\. Did you mean '(.+)'\?)?/) {
            guard let nearest = match.2 else { return Text("cli.usage.unknownOption", ["option": match.1]) }
            return Text("cli.usage.unknownOption.nearest", ["option": match.1, "nearest": nearest])
        }
        if let match = english.wholeMatch(of: /Missing expected argument '(.+)'/) {
            return Text("cli.usage.missingArgument", ["argument": match.1])
        }
        if let match = english.wholeMatch(of: /Missing value for '(.+)'/) {
            return Text("cli.usage.missingValue", ["option": match.1])
        }
        if let match = english.wholeMatch(of: /Unexpected argument '(.*)'/) {
            return Text("cli.usage.unexpectedArgument", ["argument": match.1])
        }
        if let match = english.wholeMatch(of: /\d+ unexpected arguments: (.+)/) {
            return Text("cli.usage.unexpectedArguments", ["arguments": match.1])
        }
        if let match = english.wholeMatch(of: /The value '(.*)' is invalid for '(.+?)'(: .+)?(?:\. .+)?/) {
            return Text("cli.usage.invalidValue", ["value": match.1, "option": match.2, "reason": match.3 ?? ""])
        }
        return nil
    }
}
