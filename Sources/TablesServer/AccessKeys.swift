import Crypto
import Foundation
import HTTPTypes
public import OAuth

/// The two keys that open tables to programs: each is known by its hash alone and compared in constant time.
public struct AccessKeys: Hashable, Sendable {
    private let application: Secret?
    private let master: Secret?

    /// Keys; one that is missing opens nothing.
    public init(application: Secret? = nil, master: Secret? = nil) {
        self.application = application.map(Self.digest)
        self.master = master.map(Self.digest)
    }

    /// Whether there is a key for what only programs may do.
    var opensApplication: Bool { application != nil }

    /// Whether there is a key for what only administrators may do.
    var opensAdministration: Bool { master != nil }

    /// Whether `X-ZUMO-APPLICATION` is the application key.
    func hasApplicationKey(_ fields: HTTPFields) -> Bool { Self.has(application, "X-ZUMO-APPLICATION", fields) }

    /// Whether `X-ZUMO-MASTER` is the master key.
    func hasMasterKey(_ fields: HTTPFields) -> Bool { Self.has(master, "X-ZUMO-MASTER", fields) }

    private static func has(_ key: Secret?, _ name: String, _ fields: HTTPFields) -> Bool {
        guard let key, let value = HTTPField.Name(name).flatMap({ fields[$0] }) else { return false }
        return key == digest(Secret(value))
    }

    /// Hashes have one length, so that comparing them says nothing of the key's.
    private static func digest(_ secret: Secret) -> Secret { Secret(bytes: SHA256.hash(data: secret.revealBytes())) }
}
