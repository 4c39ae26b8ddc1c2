public import OAuth
import Policies
import StrictYAML

/// An outside authority whose tokens are kept for people, and our registration there.
public struct OutsideAuthoritySettings: Hashable, Sendable {
    /// The name, as requests say it in the place of a policy.
    public let name: String
    /// The name that people see.
    public let displayName: String
    /// The issuer.
    public let issuer: String
    /// Our client id there.
    public let clientID: String
    /// Our secret there; nil for a public client.
    public let secret: Secret?
    /// The method of client authentication; nil for one that the authority offers.
    public let authMethod: String?
    /// The scopes of a token that is asked for without any.
    public let scopes: [String]
    /// What to ask consent for, too.
    public let additionalScopes: [String]
    /// More parameters of the authorization request.
    public let parameters: [String: String]
    /// The origins that its tokens may be sent to.
    public let origins: [WebOrigin]

    init(name: String, _ value: YAMLValue, folder: String, problems: inout [Problem]) {
        let key = "authorities.\(name)"
        if name == Policy.local {
            problems.append(value.problem("`\(key)`: local is this authority itself"))
        }
        if (try? PolicyID(name)) != nil {
            problems.append(value.problem("`\(key)` has the name of a policy; requests name it in a policy's place"))
        }
        self.name = name
        displayName = value["displayName"].optionalText ?? name
        issuer = value["url"].text
        clientID = value["clientId"].text
        authMethod = value["authMethod"].optionalText
        scopes = value["scopes"].items.map(\.text)
        additionalScopes = value["additionalScopes"].items.map(\.text)
        parameters = Dictionary(
            value["parameters"].members.map { ($0.name, $0.value.text) },
            uniquingKeysWith: { first, _ in first }
        )
        origins = value["origins"].items.compactMap { WebOrigin($0.text) }
        secret = Self.secret(value, key, folder, problems: &problems)
    }

    private static func secret(
        _ value: YAMLValue,
        _ key: String,
        _ folder: String,
        problems: inout [Problem]
    ) -> Secret? {
        let file = value["clientSecretFile"]
        guard file.isPresent else {
            if value["authMethod"].isPresent {
                let what = "`\(key).authMethod`: a client without a secret proves nothing"
                problems.append(value["authMethod"].problem(what))
            }
            return nil
        }
        do throws(PasswordFile.Fault) {
            return try PasswordFile(path: file.path(from: folder)).content()
        } catch {
            problems.append(file.problem("`\(key).clientSecretFile`: \(error)"))
            return nil
        }
    }
}
