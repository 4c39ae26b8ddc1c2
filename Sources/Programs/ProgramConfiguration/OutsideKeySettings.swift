import Foundation
public import OAuth
import Policies
import StrictYAML
public import Tokens

/// The private key with which the daemon authenticates to an external authority (`private_key_jwt`, RFC 7523 §2.2).
public struct OutsideKeySettings: Hashable, Sendable {
    /// The key, with the `kid` that is registered with the authority.
    public let signingKey: SigningKey
    /// The kind of URL that the client assertions contain as `aud`.
    public let audience: AssertionAudience

    /// Reads the key file of an authority, or returns `nil` if there is none or after reporting a problem.
    init?(_ value: YAMLValue, _ key: String, folder: String, problems: inout [Problem]) {
        let file = value["privateKeyFile"]
        guard file.isGiven else {
            for name in ["keyId", "assertionAudience"] where value[name].isGiven {
                problems.append(value[name].problem("`\(key).\(name)` is for `privateKeyFile`"))
            }
            return nil
        }
        for name in ["clientSecretFile", "authMethod"] where value[name].isGiven {
            problems.append(
                value[name].problem("`\(key).\(name)` and `privateKeyFile` are both set; remove one of them")
            )
        }
        audience = value["assertionAudience"].optionalChoice() ?? .issuer
        switch Self.read(file.path(from: folder)) {
        case .success(let found): signingKey = value["keyId"].optionalText.map(found.named) ?? found
        case .failure(let fault):
            problems.append(file.problem("`\(key).privateKeyFile`: \(fault)"))
            return nil
        }
    }

    private static func read(_ path: String) -> Result<SigningKey, PasswordFile.Fault> {
        func fault(_ text: String) -> Result<SigningKey, PasswordFile.Fault> {
            .failure(.init(description: "\(path) \(text)"))
        }
        if let problem = PasswordFile(path: path).pemFault { return fault(problem) }
        guard let bytes = FileManager.default.contents(atPath: path) else { return fault("cannot be read") }
        do {
            return .success(try SigningKey(pem: Secret(bytes: bytes)))
        } catch {
            return fault("cannot be used: \(error.detail)")
        }
    }
}

extension OutsideKeySettings {
    /// Whether the public keys, including their ids, and the audiences are equal.
    public static func == (a: Self, b: Self) -> Bool {
        a.signingKey.publicKey == b.signingKey.publicKey && a.audience == b.audience
    }

    /// Hashes the key's id and the audience.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(signingKey.kid)
        hasher.combine(audience)
    }
}
