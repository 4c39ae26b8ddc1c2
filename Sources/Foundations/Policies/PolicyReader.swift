import FlowModel
import Foundation
import Spelling
import StrictYAML

/// Reads a policy file, including the keys that it inherits.
struct PolicyReader {
    let id: PolicyID
    let checks: CheckReader
    private(set) var problems: [Problem] = []
    var namedClients: [NamedClient] = []
    var namedFiles: [NamedFile] = []

    /// Returns the policy, or `nil` if its kind or its sign-in name is unknown.
    mutating func read(_ node: YAMLNode) -> Policy? {
        let file = PolicyShape.policy.read(node, problems: &problems)
        guard let kind = PolicyKind(rawValue: file["kind"].text),
            let name = SignInName(rawValue: file["signInName"].text)
        else { return nil }
        let providers = providers(file["identityProviders"], kind: kind)
        var predicates = PredicateReader(file)
        let password = expiring(password(file["password"], &predicates), file["password"]["expireAfterDays"])
        let attributes = attributes(file["attributes"], kind: kind, signInName: name, predicates)
        if kind.stepsUp { return stepUp(file, kind) }
        let signInChecks = known(file["signInChecks"])
        if file["signInChecks"].items.isEmpty {
            refuse(file["signInChecks"], "`signInChecks` is empty: specify the checks that sign a user in")
        }
        if !signInChecks.isEmpty, signInChecks.allSatisfy({ checks.checks[$0]?.type.isEnrolled == true }) {
            refuse(
                file["signInChecks"],
                "`signInChecks` has no check that identifies the user: a PIN or an authenticator requires an identified user"
            )
        }
        requireKind(kind, name, attributes, file, signInChecks)
        let scopes = Dictionary(
            file["scopes"].members.map { ($0.name, known($0.value)) },
            uniquingKeysWith: { first, _ in first }
        )
        let mandatory = known(file["mandatoryScope"])
        let clientScopes = clientScopes(file["clientScopes"], of: scopes)
        let secondFactor = secondFactor(file["secondFactor"], after: signInChecks)
        requireAddress(
            attributes,
            file["signInChecks"],
            signInChecks + secondFactor.checks + mandatory + scopes.values.joined()
                + clientScopes.values.flatMap { $0.values.joined() },
            kind: kind
        )
        var pageReader = PageReader()
        let asksOthers =
            providers != [Policy.local] || signInChecks.contains { checks.checks[$0]?.people != nil }
        let pages = pageReader.look(file["pages"])
        let texts = pageReader.texts(file["languages"]["overrides"])
        problems += pageReader.problems
        namedFiles += pageReader.files
        return Policy(
            id: id,
            kind: kind,
            displayName: file["displayName"].optionalText ?? kind.words,
            identityProviders: providers,
            signInName: name,
            attributes: attributes,
            claims: claims(file["claims"]),
            tokens: tokens(file["tokens"]),
            session: Self.session(file["session"]),
            password: password,
            validations: predicates.validations,
            signInChecks: signInChecks,
            secondFactor: secondFactor,
            scopes: scopes,
            mandatoryScope: mandatory,
            clientScopes: clientScopes,
            connectors: connectors(file["connectors"], kind: kind, asksOthers: asksOthers),
            pages: pages,
            language: LanguageTag(rawValue: file["languages"]["default"].text) ?? .english,
            texts: texts,
            checks: checks.checks
        )
    }

    mutating func refuse(_ value: YAMLValue, _ message: String) { problems.append(value.problem(message)) }

    private mutating func providers(_ list: YAMLValue, kind: PolicyKind) -> [String] {
        var names: [String] = []
        for item in list.items {
            if names.contains(item.text) {
                refuse(item, "`identityProviders`: \(item.text) is listed twice")
            }
            names.append(item.text)
        }
        switch kind {
        case .social where names.count != 1 || names == [Policy.local]:
            refuse(list, "`identityProviders` of a social policy must contain exactly one external provider")
        case .social, .signUp, .signIn, .signUpOrSignIn, .profileEdit, .passwordReset, .stepUp: break
        }
        return names
    }

    /// Returns the checks named in `list`, in catalogue order and without duplicates, and reports unknown checks.
    mutating func known(_ list: YAMLValue) -> [String] {
        for name in list.items where !checks.order.contains(name.text) {
            let hint = NearestName.of(name.text, among: checks.order).map { "; did you mean \($0)?" } ?? ""
            refuse(name, "unknown check \(name.text): checks.yaml does not contain it\(hint)")
        }
        let names = Set(list.items.map(\.text))
        return checks.order.filter(names.contains)
    }

    private mutating func requireAddress(
        _ attributes: [AttributeRule],
        _ place: YAMLValue,
        _ names: [String],
        kind: PolicyKind
    ) {
        guard kind.namesAccounts, let check = names.first(where: { checks.checks[$0]?.credential == .email }),
            !attributes.contains(where: { $0.name == "email" && $0.required })
        else { return }
        refuse(place, "\(check) sends a code by mail, but sign-up does not require `email`")
    }

    private mutating func requireKind(
        _ kind: PolicyKind,
        _ name: SignInName,
        _ attributes: [AttributeRule],
        _ file: YAMLValue,
        _ signInChecks: [String]
    ) {
        switch kind {
        case .signUp, .signIn, .signUpOrSignIn, .social, .stepUp: break
        case .profileEdit:
            if attributes.isEmpty {
                refuse(file["attributes"], "`attributes` is empty: specify the attributes that users can edit")
            }
            for attribute in attributes where attribute.name == "email" || attribute.name == "username" {
                refuse(file["attributes"], "attribute \(attribute.name) identifies the user and cannot be edited")
            }
        case .passwordReset:
            if !signInChecks.allSatisfy({ checks.checks[$0]?.type == .emailCode }) {
                refuse(
                    file["signInChecks"],
                    "`signInChecks` of a password reset must be of type emailCode: the password is forgotten"
                )
            }
        }
    }

    private mutating func tokens(_ value: YAMLValue) -> TokenLifetimes {
        func seconds(_ key: String) -> Duration { .seconds(value[key].number) }
        let window = value["slidingWindowSec"].optionalNumber
        if let window, window < value["refreshTokenLifetimeSec"].number {
            refuse(value["slidingWindowSec"], "`tokens.slidingWindowSec` is less than `refreshTokenLifetimeSec`")
        }
        return TokenLifetimes(
            accessToken: seconds("accessTokenLifetimeSec"),
            idToken: seconds("idTokenLifetimeSec"),
            refreshToken: seconds("refreshTokenLifetimeSec"),
            slidingWindow: window.map { .seconds($0) }
        )
    }

    private static func session(_ value: YAMLValue) -> SessionRule {
        SessionRule(
            scope: .init(rawValue: value["scope"].text) ?? .tenant,
            kind: .init(rawValue: value["type"].text) ?? .rolling,
            lifetime: .seconds(value["lifetimeSec"].number),
            keepMeSignedInDays: value["keepMeSignedInDays"].number,
            requireIdTokenHintAtLogout: value["requireIdTokenHintAtLogout"].flag
        )
    }

    private func expiring(_ rule: PasswordRule, _ days: YAMLValue) -> PasswordRule {
        var rule = rule
        rule.expiresAfter = days.optionalNumber.flatMap { $0 == 0 ? nil : .seconds($0 * 86_400) }
        return rule
    }

    private mutating func password(_ value: YAMLValue, _ predicates: inout PredicateReader) -> PasswordRule {
        var rule = strength(value)
        rule.validation = predicates.named(value["validation"])
        predicates.require(rule.validation, areDays: false, value["validation"], of: "`password`")
        return rule
    }

    private mutating func strength(_ value: YAMLValue) -> PasswordRule {
        let strength = value["strength"]
        if let word = strength.optionalText { return word == "simple" ? .simple : .strong }
        let own = strength.isMapping ? strength : value
        guard own["minLength"].isPresent else { return .strong }
        let rule = PasswordRule(
            minLength: own["minLength"].number,
            maxLength: own["maxLength"].number,
            classes: own["classes"].number
        )
        if rule.minLength > rule.maxLength {
            refuse(own["minLength"], "`password.minLength` is more than `maxLength`")
        }
        return rule
    }

    private mutating func claims(_ list: YAMLValue) -> [ClaimRule] {
        var rules: [ClaimRule] = []
        for item in list.items {
            let name = item.optionalText ?? item["name"].text
            let rule = ClaimRule(name, as: item["as"].optionalText)
            let isKnown =
                ClaimRule.builtIn.contains(name) || BuiltInAttribute.all[name] != nil || AttributeReader.isCustom(name)
            if !isKnown {
                let names = Array(ClaimRule.builtIn) + BuiltInAttribute.all.keys
                let hint = NearestName.of(name, among: names).map { "; did you mean \($0)?" } ?? ""
                refuse(item, "unknown claim \(name)\(hint)")
            } else if let refusal = rule.nameRefusal {
                refuse(item, "claim \(name) cannot be called \(rule.wireName): \(refusal)")
            } else if rules.contains(where: { $0.wireName == rule.wireName }) {
                refuse(item, "two claims are called \(rule.wireName)")
            } else {
                rules.append(rule)
            }
        }
        return rules
    }

    private mutating func attributes(
        _ list: YAMLValue,
        kind: PolicyKind,
        signInName: SignInName,
        _ predicates: PredicateReader
    ) -> [AttributeRule] {
        var reader = AttributeReader(signInName: signInName, predicates: predicates)
        let rules = reader.read(list)
        problems += reader.problems
        guard kind.namesAccounts else { return rules }
        let missing = signInName.attributes.filter { name in !rules.contains { $0.name == name } }
        return missing.map { AttributeRule(name: $0, required: true, verify: $0 == "email") } + rules
    }
}

extension PolicyKind {
    var words: String {
        switch self {
        case .signUp: "Sign up"
        case .signIn: "Sign in"
        case .signUpOrSignIn: "Sign up or sign in"
        case .social: "Sign in with a provider"
        case .profileEdit: "Edit your profile"
        case .passwordReset: "Reset your password"
        case .stepUp: "Verify your identity"
        }
    }
}
