import OAuth
import StrictYAML

extension CheckReader {
    static func realm(_ value: YAMLValue) -> CustomRealm {
        CustomRealm(
            name: value["realm"].optionalText ?? "",
            url: value["url"].optionalText ?? "",
            tenant: value["tenant"].optionalText ?? "",
            proof: value["auth"]["kind"].optionalText.flatMap(CustomRealm.Proof.init) ?? .jwt,
            passHeaders: value["passHeaders"].items.compactMap { CustomRealm.Header(rawValue: $0.text) }
        )
    }

    /// Reads the identity provider that signs assertions, or returns `nil` if its public key is invalid.
    static func assertion(_ value: YAMLValue) -> AssertionRealm? {
        guard let key = RSAPublicKey(pem: value["publicKey"].text) else { return nil }
        return AssertionRealm(
            name: value["realm"].optionalText ?? "",
            issuer: value["issuer"].optionalText ?? "",
            publicKey: key
        )
    }

    private static func keys(_ type: CheckType) -> (required: [String], other: [String]) {
        switch type {
        case .customIdentityProvider: (["realm", "url", "tenant"], ["auth", "passHeaders"])
        case .assertion: (["realm", "issuer", "publicKey"], [])
        default: ([], [])
        }
    }

    static func realmProblems(of check: Check, _ value: YAMLValue) -> [Problem] {
        let own = keys(check.type)
        let all = ["realm", "url", "tenant", "auth", "passHeaders", "issuer", "publicKey"]
        var problems = all.filter { !(own.required + own.other).contains($0) && value[$0].isGiven }.map { key in
            let types = CheckType.all.filter { keys($0).required.contains(key) || keys($0).other.contains(key) }
            return value[key].problem(
                "`checks.\(check.name).\(key)` is for \(types.map(\.noun).joined(separator: " or ")), but the check is \(check.type.noun)"
            )
        }
        problems += own.required.filter { !value[$0].isPresent }.map {
            value.problem("`checks.\(check.name).\($0)` is missing: \(check.type.noun) requires it")
        }
        if check.realm != nil, value["url"].isPresent, let refusal = OutsideURL.refusal(value["url"].text) {
            problems.append(value["url"].problem("`checks.\(check.name).url` \(refusal)"))
        }
        if check.type == .assertion, check.assertion == nil, value["publicKey"].isPresent {
            problems.append(
                value["publicKey"].problem(
                    "`checks.\(check.name).publicKey` must be an RSA public key of at least 2048 bits in PEM: -----BEGIN PUBLIC KEY-----"
                )
            )
        }
        return problems
    }
}

extension Check {
    /// Whether both checks use the same issuer for different providers, which would mix up the providers' users.
    func isMistaken(for other: Check) -> Bool {
        people != nil && people == other.people && (realm?.url != other.realm?.url || assertion != other.assertion)
    }
}
