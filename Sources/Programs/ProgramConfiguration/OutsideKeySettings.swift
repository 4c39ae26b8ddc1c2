import Foundation
public import OAuth
import Policies
import StrictYAML
import Tokens

/// Our private key at an outside authority (`private_key_jwt`, RFC 7523 §2.2).
public struct OutsideKeySettings: Hashable, Sendable {
    /// The key in PEM, which can be read and is strong enough.
    public let pem: Secret
    /// The `kid` by which the authority knows it; nil for its thumbprint.
    public let keyID: String?
    /// The `aud` of our statements.
    public let audience: AssertionAudience

    /// Reads the file that the entry names; nil if it names none, or the file is of no use, which is a problem then.
    init?(_ value: YAMLValue, _ key: String, folder: String, problems: inout [Problem]) {
        let file = value["privateKeyFile"]
        guard file.isGiven else {
            for name in ["keyId", "assertionAudience"] where value[name].isGiven {
                problems.append(value[name].problem("`\(key).\(name)` is for `privateKeyFile`"))
            }
            return nil
        }
        for name in ["clientSecretFile", "authMethod"] where value[name].isGiven {
            problems.append(value[name].problem("`\(key).\(name)` stands beside `privateKeyFile`; one proof is enough"))
        }
        keyID = value["keyId"].optionalText
        audience = value["assertionAudience"].optionalText.flatMap(AssertionAudience.init) ?? .issuer
        switch Self.read(file.path(from: folder)) {
        case .success(let pem): self.pem = pem
        case .failure(let fault):
            problems.append(file.problem("`\(key).privateKeyFile`: \(fault)"))
            return nil
        }
    }

    private static func read(_ path: String) -> Result<Secret, PasswordFile.Fault> {
        func fault(_ text: String) -> Result<Secret, PasswordFile.Fault> {
            .failure(.init(description: "\(path) \(text)"))
        }
        if let problem = PasswordFile(path: path).fault { return fault(problem) }
        guard let bytes = FileManager.default.contents(atPath: path) else { return fault("cannot be read") }
        let pem = Secret(bytes: bytes)
        do {
            _ = try SigningKey(pem: pem)
            return .success(pem)
        } catch {
            return fault("is of no use: \(error.detail)")
        }
    }
}
