import FlowModel
import Moments
import Policies
import Terminal

/// A policy in words: its steps in order, what each asks, and what ends it.
struct PolicyExplanation {
    private let policy: Policy
    private let catalogue: PolicyCatalogue

    init(_ policy: Policy, in catalogue: PolicyCatalogue) {
        self.policy = policy
        self.catalogue = catalogue
    }

    /// The lines, the first of which names the policy.
    var lines: [String] {
        var lines = [
            PolicyText.headline(
                id: policy.id.description,
                kind: policy.kind.rawValue,
                name: policy.displayName
            )
            .text
        ]
        for (heading, steps) in ways where !steps.isEmpty {
            lines.append("  " + heading.text)
            lines += steps.enumerated().map { "    \($0.offset + 1). \($0.element)" }
        }
        let open = policy.scopes.filter(\.value.isEmpty).keys.sorted()
        if !open.isEmpty { lines.append("  " + PolicyText.openScopes(open.joined(separator: ", ")).text) }
        lines += policy.scopes.sorted { $0.key < $1.key }.filter { !$0.value.isEmpty }.map {
            "  " + PolicyText.scope($0.key, checks: $0.value.joined(separator: ", ")).text
        }
        return lines + clientScopes + validations + ["  " + PolicyText.end.text]
    }

    /// The checks that scopes ask single clients for besides.
    private var clientScopes: [String] {
        policy.clientScopes.sorted { $0.key < $1.key }.flatMap { client, scopes in
            scopes.sorted { $0.key < $1.key }.filter { !$0.value.isEmpty }.map { scope, checks in
                "  " + PolicyText.clientScope(scope, client: client, checks: checks.joined(separator: ", ")).text
            }
        }
    }

    /// The rules of answers, by the names of predicates.
    private var validations: [String] {
        policy.validations.values.sorted { $0.name < $1.name }.map { validation in
            let rules = validation.groups.map { group in
                let names = group.predicates.map(\.name).joined(separator: ", ")
                return group.needsAll ? names : PolicyText.atLeast(group.atLeast, of: names).text
            }
            return "  " + PolicyText.validation(validation.name, rules: rules.joined(separator: "; ")).text
        }
    }

    /// The ways through the policy, each with its steps.
    private var ways: [(PolicyText, [String])] {
        switch policy.kind {
        case .signUp: [(.signUp, signUp)]
        case .signIn: [(.signIn, signIn)]
        case .signUpOrSignIn, .social: [(.signIn, signIn), (.signUp, signUp)]
        case .profileEdit: [(.profileEdit, asked(policy.signInChecks) + attributes + later)]
        case .passwordReset: [(.passwordReset, asked(policy.signInChecks) + [password] + later)]
        case .stepUp: [(.stepUp, asked(policy.mandatoryScope))]
        }
    }

    private var signIn: [String] { providers + asked(policy.isLocal ? policy.signInChecks : []) + later }

    /// The steps of somebody who is new: here, or at a provider first.
    private var signUp: [String] {
        let others = policy.signInChecks.filter { catalogue[check: $0]?.type.isPersonElsewhere == true }
        var steps = providers + asked(others) + connector(.afterFederation) + attributes
        if policy.isLocal, others.isEmpty {
            if policy.signInChecks.contains(where: { catalogue[check: $0]?.credential == .password }) {
                steps.append(password)
            }
            if policy.attribute("email")?.verify == true { steps.append(PolicyText.addressCode.text) }
        }
        return steps + connector(.beforeUserCreated) + later
    }

    /// The steps that follow whatever way somebody came.
    private var later: [String] {
        let checks = policy.secondFactor.checks.joined(separator: ", ")
        let second: [PolicyText] =
            switch policy.secondFactor.when {
            case .never: []
            case .always: [.secondFactorAlways(checks)]
            case .newDevice: [.secondFactorNewDevice(checks)]
            }
        return second.map(\.text) + asked(policy.mandatoryScope) + connector(.beforeToken)
    }

    private var providers: [String] { policy.providers.map { PolicyText.provider($0).text } }

    private var attributes: [String] {
        let names = policy.attributes.map { $0.required ? "\($0.name)*" : $0.name }
        return names.isEmpty ? [] : [PolicyText.attributes(names.joined(separator: ", ")).text]
    }

    private var password: String {
        PolicyText.newPassword(min: policy.password.minLength, max: policy.password.maxLength).text
    }

    private func asked(_ names: [String]) -> [String] {
        names.compactMap { catalogue[check: $0] }.map { "\(question($0).text); \(ending($0).text)" }
    }

    private func question(_ check: Check) -> PolicyText {
        if let realm = check.realm { return .realm(check.name, url: realm.url) }
        if let assertion = check.assertion { return .statement(check.name, issuer: assertion.issuer) }
        switch check.credential {
        case .email: return .code(check.name)
        case .pin: return .pin(check.name)
        case .totp: return .authenticator(check.name)
        default: return .password(check.name)
        }
    }

    private func ending(_ check: Check) -> PolicyText {
        let block = check.blockedStateExpiration.components.seconds
        return block == 0 ? .endsNever : .ends(attempts: check.maxAttempts, seconds: block)
    }

    private func connector(_ place: Connector.Place) -> [String] {
        guard let connector = policy.connectors[place] else { return [] }
        return [
            PolicyText.connector(
                place.rawValue,
                step: place.step,
                url: connector.url,
                seconds: connector.timeout.components.seconds
            ).text
        ]
    }
}

extension CheckType {
    /// True if somebody else's provider says who the person is.
    fileprivate var isPersonElsewhere: Bool { self == .customIdentityProvider || self == .assertion }
}
