import Files
import Foundation
import Systemd

/// The source of an authority's name and keys.
public enum AuthoritySource: Hashable, Sendable {
    /// An authority of known name, whose keys are found by an issuer's metadata.
    case named(AuthorityName, at: KeyOrigin)
    /// An authority that describes itself, at the first of these sockets that exists.
    case followed([LocalSocket])

    /// True for an authority of this machine, reached over its socket.
    var isHere: Bool {
        switch self {
        case .named(_, .unixSocket), .followed: true
        case .named(_, .web): false
        }
    }
}

/// The socket of an authority on this machine, and the users that are trusted to listen there.
public struct LocalSocket: Hashable, Sendable {
    /// The socket's path.
    public let path: String
    /// The users that are trusted to listen there, beside root.
    public let uids: Set<UInt32>
    /// True if the owner of the socket's folder is trusted too: for a folder that only root can make.
    public let trustsFolder: Bool

    /// Makes a socket at which root and `uids` are trusted.
    public init(path: String, uids: Set<UInt32>, trustsFolder: Bool) {
        self.path = path
        self.uids = uids
        self.trustsFolder = trustsFolder
    }
}

extension LocalSocket {
    /// True if a file is at the path, or if that cannot be determined.
    var isThere: Bool {
        do throws(FileError) {
            _ = try FileStatus(path: path)
            return true
        } catch {
            return error.errno != ENOENT && error.errno != ENOTDIR
        }
    }

    /// Checks that a trusted user listens at the path, as the kernel reports it (`SO_PEERCRED`).
    ///
    /// - Throws: ``RemoteKeysError``.
    func checkPeer() throws(RemoteKeysError) {
        let uid = try listener()
        let folder = try? FileStatus(path: (path as NSString).deletingLastPathComponent)
        guard trusts(uid, folderOwner: folder?.owner) else {
            throw RemoteKeysError(.protocolViolation, "uid \(uid), which is not trusted, listens at \(path)")
        }
    }

    /// True if a server that runs as `uid` is trusted.
    func trusts(_ uid: UInt32, folderOwner: UInt32?) -> Bool {
        uid == 0 || uids.contains(uid) || (trustsFolder && uid == folderOwner)
    }

    private func listener() throws(RemoteKeysError) -> UInt32 {
        do throws(SystemError) {
            return try PeerCredentials(listeningAt: path).uid
        } catch {
            throw RemoteKeysError(.unreachable, "\(path): \(error)")
        }
    }
}

/// The common part of one authority's issuers, the base and tenant of `{base}/{tenant}/{policy}/v2.0`.
public struct AuthorityName: Hashable, Sendable, CustomStringConvertible {
    /// The longest name of a policy, in bytes.
    static let longestPolicy = 64

    /// The base URL, without a slash at its end.
    public let base: String
    /// The tenant.
    public let tenant: String

    /// Makes the name of an authority.
    public init(base: String, tenant: String) {
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
        self.tenant = tenant
    }

    /// The base and the tenant.
    public var description: String { "\(base)/\(tenant)" }

    /// The issuer of a policy, in lower case.
    func issuer(of policy: String) -> String { "\(description)/\(policy.lowercased())/v2.0" }

    /// Returns the policy of an issuer; nil for another authority's issuer, and if the name is not a valid policy name.
    public func policy(ofIssuer issuer: String) -> String? {
        let prefix = description + "/"
        let suffix = "/v2.0"
        guard issuer.hasPrefix(prefix), issuer.hasSuffix(suffix), issuer.count > prefix.count + suffix.count else {
            return nil
        }
        let policy = String(issuer.dropFirst(prefix.count).dropLast(suffix.count))
        // The policy becomes part of a path, and comes from a token that is not verified yet.
        guard policy.utf8.count <= Self.longestPolicy, policy.utf8.allSatisfy(Self.isPolicyByte) else { return nil }
        return policy
    }

    private static func isPolicyByte(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x5F
    }
}
