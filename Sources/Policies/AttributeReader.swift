import Foundation
import Spelling
import StrictYAML

/// Reads the list `attributes` of a policy's file into rules.
struct AttributeReader {
    let signInName: SignInName
    private(set) var problems: [Problem] = []

    init(signInName: SignInName) {
        self.signInName = signInName
    }

    /// True for a name that a policy may give to an attribute of its own: `extension_` and up to 53 characters.
    static func isCustom(_ name: String) -> Bool {
        name.hasPrefix("extension_") && (11...63).contains(name.utf8.count)
            && String(name.dropFirst(10)).isName(marks: "_")
    }

    mutating func read(_ list: YAMLValue) -> [AttributeRule] {
        var rules: [AttributeRule] = []
        for item in list.items {
            let name = item["name"].text
            guard !name.isEmpty else { continue }
            guard !rules.contains(where: { $0.name == name }) else {
                problems.append(item.problem("attribute \(name) is listed twice"))
                continue
            }
            guard BuiltInAttribute.all[name] != nil || Self.isCustom(name) else {
                let hint = NearestName.of(name, among: BuiltInAttribute.all.keys).map { "did you mean \($0)?" }
                let other = hint ?? "one of your own is named extension_ and letters, digits or underscores"
                problems.append(item.problem("unknown attribute \(name); \(other)"))
                continue
            }
            rules.append(rule(name, item))
        }
        return rules
    }

    private mutating func rule(_ name: String, _ item: YAMLValue) -> AttributeRule {
        let isSignInName = signInName.attributes.contains(name)
        let builtIn = BuiltInAttribute.all[name]
        let rule = AttributeRule(
            name: name,
            kind: AttributeRule.Kind(rawValue: item["type"].text) ?? builtIn?.kind,
            required: item["required"].isGiven ? item["required"].flag : isSignInName,
            verify: item["verify"].isGiven ? item["verify"].flag : isSignInName && name == "email",
            options: item["options"].items.map(\.text),
            label: Dictionary(item["label"].members.map { ($0.name, $0.value.text) }, uniquingKeysWith: { a, _ in a }),
            minLength: item["minLength"].number,
            maxLength: item["maxLength"].optionalNumber,
            pattern: item["pattern"].optionalText
        )
        check(rule, item, builtIn, isSignInName: isSignInName)
        return rule
    }

    private mutating func check(
        _ rule: AttributeRule,
        _ item: YAMLValue,
        _ builtIn: BuiltInAttribute?,
        isSignInName: Bool
    ) {
        let name = rule.name
        if let builtIn, rule.kind != builtIn.kind {
            problems.append(item["type"].problem("attribute \(name) is of type \(builtIn.kind.rawValue)"))
        }
        if builtIn == nil, rule.kind == .email {
            problems.append(item["type"].problem("attribute \(name) must be a string, a boolean or an int"))
        }
        if isSignInName, !rule.required {
            problems.append(item["required"].problem("attribute \(name) is the sign-in name, so it is required"))
        }
        if rule.verify, rule.kind != .email {
            problems.append(item["verify"].problem("attribute \(name) cannot be verified: it is no e-mail address"))
        }
        if isSignInName, name == "email", !rule.verify {
            problems.append(item["verify"].warning("anybody can sign up with somebody else's e-mail address"))
        }
        let most = builtIn?.maxLength ?? BuiltInAttribute.customMaxLength
        if rule.maxLength > most {
            problems.append(item["maxLength"].problem("attribute \(name) has at most \(most) characters"))
        }
        if rule.minLength > rule.maxLength {
            problems.append(item["minLength"].problem("attribute \(name): `minLength` is more than `maxLength`"))
        }
        if Set(rule.options).count < rule.options.count {
            problems.append(item["options"].problem("attribute \(name) has an option twice"))
        }
        if !rule.options.isEmpty, rule.kind != .string {
            problems.append(item["options"].problem("attribute \(name) has options, so it must be a string"))
        }
        if let pattern = item["pattern"].optionalText,
            (try? NSRegularExpression(pattern: "\\A(?:\(pattern))\\z")) == nil
        {
            problems.append(item["pattern"].problem("attribute \(name): `pattern` is not a regular expression"))
        }
    }
}
