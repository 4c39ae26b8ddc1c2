import Foundation
import Spelling
import StrictYAML

struct AttributeReader {
    let signInName: SignInName
    private var predicates: PredicateReader
    private var own: [Problem] = []

    init(signInName: SignInName, predicates: PredicateReader) {
        self.signInName = signInName
        self.predicates = predicates
    }

    var problems: [Problem] { predicates.problems + own }

    /// Whether `name` is `extension_`, followed by a letter and up to 52 letters, digits and underscores.
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
                refuse(item, "attribute \(name) is listed twice")
                continue
            }
            guard BuiltInAttribute.all[name] != nil || Self.isCustom(name) else {
                let hint = NearestName.of(name, among: BuiltInAttribute.all.keys).map { "did you mean \($0)?" }
                let other = hint ?? "a custom attribute is named extension_ followed by letters, digits or underscores"
                refuse(item, "unknown attribute \(name); \(other)")
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
            input: AttributeRule.Input(rawValue: item["input"].text),
            required: item["required"].isGiven ? item["required"].flag : isSignInName,
            verify: item["verify"].isGiven ? item["verify"].flag : isSignInName && name == "email",
            options: item["options"].items.map(Self.option),
            label: Self.words(item["label"]),
            minLength: item["minLength"].number,
            maxLength: item["maxLength"].optionalNumber,
            pattern: item["pattern"].optionalText,
            validation: predicates.named(item["validation"])
        )
        check(rule, item, builtIn, isSignInName: isSignInName)
        checkLengths(rule, item, builtIn)
        checkForm(rule, item)
        return rule
    }

    private static func words(_ value: YAMLValue) -> [String: String] {
        Dictionary(value.members.map { ($0.name, $0.value.text) }, uniquingKeysWith: { first, _ in first })
    }

    private static func option(_ item: YAMLValue) -> AttributeOption {
        if let value = item.optionalText { return AttributeOption(value: value) }
        return AttributeOption(
            value: item["value"].text,
            label: words(item["label"]),
            isSelected: item["selected"].flag
        )
    }

    private mutating func refuse(_ value: YAMLValue, _ message: String) { own.append(value.problem(message)) }

    private mutating func check(
        _ rule: AttributeRule,
        _ item: YAMLValue,
        _ builtIn: BuiltInAttribute?,
        isSignInName: Bool
    ) {
        let name = rule.name
        if let builtIn, rule.kind != builtIn.kind {
            refuse(item["type"], "attribute \(name) is of type \(builtIn.kind.rawValue)")
        }
        if builtIn == nil, rule.kind == .email {
            refuse(item["type"], "attribute \(name) cannot be of type email; use a string for a custom address")
        }
        if isSignInName, !rule.required {
            refuse(item["required"], "attribute \(name) is the sign-in name, so it is required")
        }
        if rule.verify, rule.kind != .email {
            refuse(item["verify"], "attribute \(name) cannot be verified: it is not an e-mail address")
        }
        if isSignInName, name == "email", !rule.verify {
            own.append(item["verify"].warning("users can sign up with another person's e-mail address"))
        }
    }

    private mutating func checkLengths(_ rule: AttributeRule, _ item: YAMLValue, _ builtIn: BuiltInAttribute?) {
        let name = rule.name
        let most = builtIn?.maxLength ?? BuiltInAttribute.customMaxLength
        if rule.maxLength > most {
            refuse(item["maxLength"], "attribute \(name) has at most \(most) characters")
        }
        if rule.minLength > rule.maxLength {
            refuse(item["minLength"], "attribute \(name): `minLength` is more than `maxLength`")
        }
        if let pattern = item["pattern"].optionalText, BoundedPattern(pattern) == nil {
            refuse(item["pattern"], "attribute \(name): `pattern` is not a valid regular expression")
        }
        for key in ["minLength", "maxLength", "pattern"] where item[key].isGiven {
            if !rule.kind.isText {
                let kind = rule.kind.rawValue
                refuse(item[key], "attribute \(name): `\(key)` is for text, but the type is \(kind)")
            } else if !rule.options.isEmpty {
                let way = "values are limited to the options; remove `\(key)`, or remove `options` to allow any text"
                refuse(item[key], "attribute \(name): `\(key)` has no effect with `options`: \(way)")
            }
        }
    }

    /// Rejects input styles, options and predicates that do not fit the attribute's type.
    private mutating func checkForm(_ rule: AttributeRule, _ item: YAMLValue) {
        let name = rule.name
        checkOptions(rule, item["options"])
        if rule.isShown, rule.required || rule.verify {
            refuse(item["input"], "attribute \(name) is read-only, so it cannot be required or verified")
        }
        if let input = rule.input, !rule.inputs.contains(input) {
            let words = rule.inputs.map(\.rawValue).joined(separator: ", ")
            let options = rule.options.isEmpty ? "without" : "with"
            refuse(
                item["input"],
                "attribute \(name): type \(rule.kind.rawValue) \(options) options supports these inputs: \(words)"
            )
        }
        if rule.kind.needsOptions, rule.options.isEmpty, !rule.isShown {
            refuse(item, "attribute \(name) is of type \(rule.kind.rawValue), so it requires `options`")
        }
        guard rule.validation != nil else { return }
        switch rule.kind {
        case .string where rule.options.isEmpty, .email:
            predicates.require(rule.validation, areDays: false, item["validation"], of: "attribute \(name)")
        case .date:
            predicates.require(rule.validation, areDays: true, item["validation"], of: "attribute \(name)")
        case .string, .boolean, .int, .long, .stringCollection:
            refuse(item["validation"], "attribute \(name): `validation` is for text without options, and for dates")
        }
    }

    private mutating func checkOptions(_ rule: AttributeRule, _ list: YAMLValue) {
        let name = rule.name
        if Set(rule.options.map(\.value)).count < rule.options.count {
            refuse(list, "attribute \(name) has a duplicate option")
        }
        if !rule.options.isEmpty, !rule.kind.takesOptions {
            refuse(list, "attribute \(name) has options, so it must be a string or a stringCollection")
        }
        let least = rule.options.first { option in
            option.value.unicodeScalars.count > rule.maxLength
                || rule.hasForbiddenCharacters(option.value)
        }
        if let option = least {
            refuse(
                list,
                "attribute \(name): the option \(option.value.debugDescription) is too long or contains control characters"
            )
        }
        switch rule.kind {
        case .string where rule.options.filter(\.isSelected).count > 1:
            refuse(list, "attribute \(name): two options are `selected`, but only one can be")
        // Values must not contain commas, because a user of the command line separates several values with commas.
        case .stringCollection where rule.options.contains { $0.value.contains(",") }:
            refuse(list, "attribute \(name): option values of a stringCollection must not contain a comma")
        case .string, .boolean, .int, .long, .date, .stringCollection, .email: break
        }
    }
}
