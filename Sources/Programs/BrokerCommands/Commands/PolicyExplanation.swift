import FlowModel
import Moments
import Policies
import Terminal

struct PolicyExplanation {
    let policy: Policy
    let catalogue: PolicyCatalogue

    var lines: [String] {
        var lines = [
            Text(
                "cli.policy.headline",
                ["id": policy.id.description, "kind": policy.kind.rawValue, "name": policy.displayName]
            )
            .text
        ]
        for (heading, steps) in ways where !steps.isEmpty {
            lines.append("  " + heading.text)
            lines += steps.enumerated().map { "    \($0.offset + 1). \($0.element)" }
        }
        let open = policy.scopes.filter(\.value.isEmpty).keys.sorted()
        if !open.isEmpty {
            lines.append("  " + Text("cli.policy.openScopes", ["scopes": open.joined(separator: ", ")]).text)
        }
        lines += policy.scopes.sorted { $0.key < $1.key }.filter { !$0.value.isEmpty }.map {
            "  " + Text("cli.policy.scope", ["scope": $0.key, "checks": $0.value.joined(separator: ", ")]).text
        }
        return lines + clientScopes + validations + ["  " + Text("cli.policy.end").text]
    }

    private var clientScopes: [String] {
        policy.clientScopes.sorted { $0.key < $1.key }.flatMap { client, scopes in
            scopes.sorted { $0.key < $1.key }.filter { !$0.value.isEmpty }.map { scope, checks in
                "  "
                    + Text(
                        "cli.policy.clientScope",
                        ["scope": scope, "client": client, "checks": checks.joined(separator: ", ")]
                    ).text
            }
        }
    }

    private var validations: [String] {
        policy.validations.values.sorted { $0.name < $1.name }.map { validation in
            let rules = validation.groups.map { group in
                let names = group.predicates.map(\.name).joined(separator: ", ")
                return group.needsAll
                    ? names : Text("cli.policy.atLeast", ["count": group.atLeast, "names": names]).text
            }
            return "  "
                + Text("cli.policy.validation", ["name": validation.name, "rules": rules.joined(separator: "; ")]).text
        }
    }

    private var ways: [(Text, [String])] {
        switch policy.kind {
        case .signUp: [(Text("cli.policy.signUp"), signUp)]
        case .signIn: [(Text("cli.policy.signIn"), signIn)]
        case .signUpOrSignIn, .social: [(Text("cli.policy.signIn"), signIn), (Text("cli.policy.signUp"), signUp)]
        case .profileEdit: [(Text("cli.policy.profileEdit"), asked(policy.signInChecks) + attributes + later)]
        case .passwordReset: [(Text("cli.policy.passwordReset"), asked(policy.signInChecks) + [password] + later)]
        case .stepUp: [(Text("cli.policy.stepUp"), asked(policy.mandatoryScope))]
        }
    }

    private var signIn: [String] { providers + asked(policy.isLocal ? policy.signInChecks : []) + later }

    private var signUp: [String] {
        let others = policy.signInChecks.filter { catalogue[check: $0]?.type.isPersonElsewhere == true }
        var steps = providers + asked(others) + connector(.afterFederation) + attributes
        if policy.isLocal, others.isEmpty {
            if policy.signInChecks.contains(where: { catalogue[check: $0]?.credential == .password }) {
                steps.append(password)
            }
            if policy.attribute("email")?.verify == true { steps.append(Text("cli.policy.addressCode").text) }
        }
        return steps + connector(.beforeUserCreated) + later
    }

    private var later: [String] {
        let checks = policy.secondFactor.checks.joined(separator: ", ")
        let second: [Text] =
            switch policy.secondFactor.when {
            case .never: []
            case .always: [Text("cli.policy.secondFactorAlways", ["checks": checks])]
            case .newDevice: [Text("cli.policy.secondFactorNewDevice", ["checks": checks])]
            }
        return second.map(\.text) + asked(policy.mandatoryScope) + connector(.beforeToken)
    }

    private var providers: [String] { policy.providers.map { Text("cli.policy.provider", ["name": $0]).text } }

    private var attributes: [String] {
        let names = policy.attributes.map { $0.required ? "\($0.name)*" : $0.name }
        return names.isEmpty ? [] : [Text("cli.policy.attributes", ["names": names.joined(separator: ", ")]).text]
    }

    private var password: String {
        Text("cli.policy.newPassword", ["min": policy.password.minLength, "max": policy.password.maxLength]).text
    }

    private func asked(_ names: [String]) -> [String] {
        names.compactMap { catalogue[check: $0] }.map { "\(question($0).text); \(ending($0).text)" }
    }

    private func question(_ check: Check) -> Text {
        let (url, issuer) = (check.realm?.url ?? "", check.assertion?.issuer ?? "")
        return Text("cli.policy.asks.\(check.type.name)", ["check": check.name, "url": url, "issuer": issuer])
    }

    private func ending(_ check: Check) -> Text {
        let block = check.blockedStateExpiration.components.seconds
        return block == 0
            ? Text("cli.policy.endsNever") : Text("cli.policy.ends", ["count": check.maxAttempts, "seconds": block])
    }

    private func connector(_ place: Connector.Place) -> [String] {
        guard let connector = policy.connectors[place] else { return [] }
        return [
            Text(
                "cli.policy.connector",
                [
                    "place": place.rawValue, "step": place.step, "url": connector.url,
                    "seconds": connector.timeout.components.seconds,
                ]
            ).text
        ]
    }
}

extension CheckType {
    fileprivate var isPersonElsewhere: Bool { self == .customIdentityProvider || self == .assertion }
}
