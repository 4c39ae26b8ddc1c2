import Foundation
import OAuth
import StrictYAML

extension PolicyReader {
    /// Reads `connectors:`, and reports connectors that would have no effect.
    mutating func connectors(_ value: YAMLValue, kind: PolicyKind, asksOthers: Bool) -> Connectors {
        Connectors(
            Connector.Place.allCases.compactMap { place in
                let own = value[place.rawValue]
                guard own.isGiven else { return nil }
                let key = "connectors.\(place.rawValue)"
                if let reason = Self.idleness(place, kind, asksOthers: asksOthers) {
                    refuse(own, "`\(key)` has no effect: \(reason)")
                }
                if own["url"].isPresent, let refusal = OutsideURL.refusal(own["url"].text) {
                    refuse(own["url"], "`\(key).url` \(refusal)")
                }
                return Connector(
                    place: place,
                    url: own["url"].text,
                    proof: proof(own["auth"], key + ".auth"),
                    timeout: .seconds(own["timeoutSec"].number)
                )
            }
        )
    }

    /// Returns why a policy of this kind cannot call a connector at `place`, or `nil` if it can.
    private static func idleness(_ place: Connector.Place, _ kind: PolicyKind, asksOthers: Bool) -> String? {
        switch place {
        case .afterFederation where !kind.signsUp, .beforeUserCreated where !kind.signsUp:
            "a policy of this kind creates no accounts"
        case .afterFederation where !asksOthers: "this policy uses no external provider"
        case .afterFederation, .beforeUserCreated, .beforeToken: nil
        }
    }

    private static let proofKeys = [
        "basic": ["username", "passwordFile"], "bearer": ["tokenFile"],
        "clientCertificate": ["certificateFile", "privateKeyFile"],
    ]

    private mutating func proof(_ value: YAMLValue, _ key: String) -> Connector.Proof {
        guard value.isMapping else { return .none }
        let kind = value["kind"].text
        let own = Self.proofKeys[kind] ?? []
        for (name, member) in value.members where name != "kind" && member.isGiven && !own.contains(name) {
            refuse(member, "`\(key).\(name)` is not for `kind: \(kind)`")
        }
        for name in own where !value[name].isPresent {
            refuse(value, "`\(key).\(name)` is missing: `kind: \(kind)` requires it")
        }
        switch kind {
        case "basic":
            let name = value["username"].optionalText ?? ""
            if name.contains(":") {
                // RFC 7617 §2 does not allow a colon in a user name.
                refuse(value["username"], "`\(key).username` must not contain a colon")
            }
            return .basic(username: name, passwordFile: password(value["passwordFile"], key + ".passwordFile"))
        case "bearer": return .bearer(tokenFile: password(value["tokenFile"], key + ".tokenFile"))
        case "clientCertificate":
            let certificate = value["certificateFile"]
            let path = named(certificate)
            if certificate.isPresent, !FileManager.default.fileExists(atPath: path) {
                refuse(certificate, "`\(key).certificateFile`: \(path) cannot be read")
            } else if certificate.isPresent, let fault = PasswordFile.markFault(ofPEM: path) {
                refuse(certificate, "`\(key).certificateFile`: \(path) \(fault)")
            }
            return .clientCertificate(
                certificateFile: path,
                privateKeyFile: privateKey(value["privateKeyFile"], key + ".privateKeyFile").path
            )
        default: return .none
        }
    }

    /// Returns the file that contains a password or a token, and reports a problem with the file or its content.
    private mutating func password(_ value: YAMLValue, _ key: String) -> PasswordFile {
        let file = PasswordFile(path: named(value))
        guard value.isPresent else { return file }
        do throws(PasswordFile.Fault) { try file.check() } catch { refuse(value, "`\(key)`: \(error)") }
        return file
    }

    /// Returns the file that contains a private key, and reports a problem with the file.
    private mutating func privateKey(_ value: YAMLValue, _ key: String) -> PasswordFile {
        let file = PasswordFile(path: named(value))
        if value.isPresent, let fault = file.pemFault { refuse(value, "`\(key)`: \(file.path) \(fault)") }
        return file
    }

    private mutating func named(_ value: YAMLValue) -> String {
        let file = Self.file(value)
        if value.isPresent, !namedFiles.contains(file) { namedFiles.append(file) }
        return file.path
    }

    /// Returns the file for a path, which can be relative to the policy folder, or for `credential:NAME` (systemd).
    private static func file(_ value: YAMLValue) -> NamedFile {
        let text = value.optionalText ?? ""
        if let name = text.wholeMatch(of: /credential:(?<name>[A-Za-z0-9._-]+)/)?.name {
            let folder = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"] ?? "/run/credentials"
            return NamedFile(name: nil, path: "\(folder)/\(name)")
        }
        if text.hasPrefix("/") { return NamedFile(name: nil, path: text) }
        return NamedFile(text, in: (value.file as NSString).deletingLastPathComponent)
    }
}
