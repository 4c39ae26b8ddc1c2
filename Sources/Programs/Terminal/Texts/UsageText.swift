import FlowModel
import Localization

/// Translates the argument parser's messages about invalid arguments.
enum UsageText {
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
        let oneOfSeveral = /The value '(.*)' is invalid for '(.+?)'\. Please provide one of (.+)\./
        if let match = english.wholeMatch(of: oneOfSeveral) {
            let choices = match.3.matches(of: /'[^']*'/).map { String($0.output) }
            return Text(
                "cli.usage.invalidValue.choices",
                ["value": match.1, "option": match.2, "choices": Text.comma(choices)]
            )
        }
        if let match = english.wholeMatch(of: /The value '(.*)' is invalid for '(.+?)'(: .+)?(?:\. .+)?/) {
            return Text("cli.usage.invalidValue", ["value": match.1, "option": match.2, "reason": match.3 ?? ""])
        }
        return nil
    }
}
