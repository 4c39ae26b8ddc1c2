import OAuth
import StrictYAML

/// The rules of an outside authority's grant: which keys it needs, and which mean nothing with it.
struct OutsideGrantRules {
    let value: YAMLValue
    let key: String
    let grant: OutsideGrant
    /// The redirect URI that this daemon serves.
    let here: String

    /// Adds what is wrong.
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
                let what = "`\(key).subjectScopes` is missing: the scopes of our token to exchange"
                problems.append(value["grant"].problem(what))
            }
        }
    }

    /// Refuses the description of a token of ours where none is exchanged.
    private func refuseSubject(_ problems: inout [Problem]) {
        refuse(["subjectScopes", "subjectIssuer"], "is for `grant: token_exchange`", &problems)
    }

    /// Refuses the keys of a sign-in where nobody signs in.
    private func refuseSignIn(_ problems: inout [Problem]) {
        refuse(
            ["additionalScopes", "parameters", "redirectURIs"],
            "is for authorities at which people sign in; `grant` says otherwise",
            &problems
        )
        if value["kind"].text == "b2c" {
            problems.append(value["grant"].problem("`\(key).grant`: at authorities of kind b2c people sign in"))
        }
    }

    /// Checks that a service proves who it is, and says whose it is.
    private func checkService(_ problems: inout [Problem]) {
        if !value["uids"].isGiven {
            let what = "`\(key).uids` is missing: the users that may have a service's tokens"
            problems.append(value["grant"].problem(what))
        }
        if !value["clientSecretFile"].isGiven, !value["privateKeyFile"].isGiven {
            let what = "`\(key)` has neither `clientSecretFile` nor `privateKeyFile`; a service proves who it is"
            problems.append(value["grant"].problem(what))
        }
    }

    /// Refuses keys that are written there.
    private func refuse(_ names: [String], _ why: String, _ problems: inout [Problem]) {
        for name in names where value[name].isGiven {
            problems.append(value[name].problem("`\(key).\(name)` \(why)"))
        }
    }
}

/// The grants by which an outside authority gives tokens; the raw values are the words of the configuration.
public enum OutsideGrant: String, CaseIterable, Hashable, Sendable {
    /// A person signs in there (RFC 6749 §4.1).
    case authorizationCode = "authorization_code"
    /// It gives them to us, as a service (RFC 6749 §4.4).
    case clientCredentials = "client_credentials"
    /// It takes a token of ours in exchange (RFC 8693).
    case tokenExchange = "token_exchange"
}
