/// A sentence of the argument parser about wrong arguments.
struct UsageText: ScreenText, Hashable {
    let english: String

    /// The sentence as the parser says it.
    init(_ english: String) {
        self.english = english
    }

    var german: String {
        if let match = english.wholeMatch(of: /Unknown option '(.+?)'(?:\. Did you mean '(.+)'\?)?/) {
            let nearest = match.2.map { "; meinten Sie '\($0)'?" } ?? ""
            return "eine Option '\(match.1)' gibt es nicht\(nearest)"
        }
        if let match = english.wholeMatch(of: /Missing expected argument '(.+)'/) { return "es fehlt \(match.1)" }
        if let match = english.wholeMatch(of: /Missing value for '(.+)'/) {
            return "es fehlt der Wert von '\(match.1)'"
        }
        if let match = english.wholeMatch(of: /Unexpected argument '(.*)'/) { return "'\(match.1)' ist zu viel" }
        if let match = english.wholeMatch(of: /\d+ unexpected arguments: (.+)/) { return "zu viel ist \(match.1)" }
        if let match = english.wholeMatch(of: /The value '(.*)' is invalid for '(.+?)'(: .+)?(?:\. .+)?/) {
            return "'\(match.1)' ist kein Wert von '\(match.2)'\(match.3 ?? "")"
        }
        return english
    }
}
