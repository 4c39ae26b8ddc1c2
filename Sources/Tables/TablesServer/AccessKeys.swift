import Crypto
import Foundation
import HTTPTypes
public import OAuth

/// The two keys that open tables to programs; only their hashes are kept, and they are compared in constant time.
public struct AccessKeys: Hashable, Sendable {
    private let application: Secret?
    private let master: Secret?

    /// Makes the keys from their texts; a missing one opens nothing.
    public init(application: Secret? = nil, master: Secret? = nil) {
        self.application = application.map(Self.digest)
        self.master = master.map(Self.digest)
    }

    /// True if an application key is configured.
    var opensApplication: Bool { application != nil }

    /// True if a master key is configured.
    var opensAdministration: Bool { master != nil }

    /// True if `X-ZUMO-APPLICATION` is the application key.
    func hasApplicationKey(_ fields: HTTPFields) -> Bool { Self.has(application, "X-ZUMO-APPLICATION", fields) }

    /// True if `X-ZUMO-MASTER` is the master key.
    func hasMasterKey(_ fields: HTTPFields) -> Bool { Self.has(master, "X-ZUMO-MASTER", fields) }

    private static func has(_ key: Secret?, _ name: String, _ fields: HTTPFields) -> Bool {
        guard let key, let value = HTTPField.Name(name).flatMap({ fields[$0] }) else { return false }
        return key == digest(Secret(value))
    }

    /// Hashes a key: hashes have one length, so that comparing them reveals nothing of the key's.
    private static func digest(_ secret: Secret) -> Secret { Secret(bytes: SHA256.hash(data: secret.revealBytes())) }
}
