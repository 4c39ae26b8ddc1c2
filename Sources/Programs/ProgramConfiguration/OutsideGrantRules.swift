import OAuth
import StrictYAML

/// Checks that an external authority has all settings that its grant requires, and no settings of other grants.
struct OutsideGrantRules {
    let value: YAMLValue
    let key: String
    let grant: OutsideGrant
    let here: String

    func check(_ problems: inout [Problem]) {
        checkGrant(&problems)
        for uri in value["redirectURIs"].items
        where uri.text != here && uri.text != RedirectURI.outOfBand && LoopbackURI(uri.text) == nil {
            let known =
                "\(here), addresses such as http://127.0.0.1 or http://localhost/cb, and \(RedirectURI.outOfBand)"
            problems.append(uri.problem("`\(key).redirectURIs` takes \(known)"))
        }
    }

    private func checkGrant(_ problems: inout [Problem]) {
        switch grant {
        case .authorizationCode: refuseSubject(&problems)
        case .clientCredentials:
            refuseSubject(&problems)
            refuseSignIn(&problems)
            checkService(&problems)
        case .tokenExchange:
            refuseSignIn(&problems)
            if !value["subjectScopes"].isGiven {
                let what = "`\(key).subjectScopes` is missing: the scopes of the local token to exchange"
                problems.append(value["grant"].problem(what))
            }
        }
    }

    private func refuseSubject(_ problems: inout [Problem]) {
        refuse(["subjectScopes", "subjectIssuer"], "is for `grant: token_exchange`", &problems)
    }

    private func refuseSignIn(_ problems: inout [Problem]) {
        refuse(
            ["additionalScopes", "parameters", "redirectURIs"],
            "is only for `grant: authorization_code`",
            &problems
        )
        if value["kind"].text == "b2c" {
            problems.append(
                value["grant"].problem("`\(key).grant`: authorities of kind b2c support only authorization_code")
            )
        }
    }

    private func checkService(_ problems: inout [Problem]) {
        if !value["uids"].isGiven {
            let what = "`\(key).uids` is missing: list the uids that may use the service's tokens"
            problems.append(value["grant"].problem(what))
        }
        if !value["clientSecretFile"].isGiven, !value["privateKeyFile"].isGiven {
            let what = "`\(key)` has neither `clientSecretFile` nor `privateKeyFile`; a service needs one of them"
            problems.append(value["grant"].problem(what))
        }
    }

    private func refuse(_ names: [String], _ why: String, _ problems: inout [Problem]) {
        for name in names where value[name].isGiven {
            problems.append(value[name].problem("`\(key).\(name)` \(why)"))
        }
    }
}

/// How the daemon obtains tokens from an external authority, with the value of `grant` as the raw value.
public enum OutsideGrant: String, CaseIterable, Hashable, Sendable {
    /// A user signs in with the authority (RFC 6749 §4.1).
    case authorizationCode = "authorization_code"
    /// The daemon requests tokens for itself with its client credentials (RFC 6749 §4.4).
    case clientCredentials = "client_credentials"
    /// The daemon exchanges a local token (RFC 8693).
    case tokenExchange = "token_exchange"
}
