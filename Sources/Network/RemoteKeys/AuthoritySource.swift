import Files
import Foundation
import Systemd

/// The source of an authority's name and keys.
public enum AuthoritySource: Hashable, Sendable {
    /// An authority with a known name, whose keys are fetched from this origin.
    case named(AuthorityName, at: KeyOrigin)
    /// A local authority that describes itself over the first of these sockets that exists.
    case followed([LocalSocket])

    var isHere: Bool {
        switch self {
        case .named(_, .unixSocket), .followed: true
        case .named(_, .web): false
        }
    }
}

/// The socket of a local authority, and the users that are trusted to listen on it.
public struct LocalSocket: Hashable, Sendable {
    /// The path of the socket's file.
    public let path: String
    /// The users that are trusted to listen on the socket, in addition to root.
    public let uids: Set<UInt32>
    /// Whether the owner of the folder is trusted too, which requires that only root can create the folder.
    public let trustsFolder: Bool

    /// Creates a socket description.
    public init(path: String, uids: Set<UInt32>, trustsFolder: Bool) {
        self.path = path
        self.uids = uids
        self.trustsFolder = trustsFolder
    }
}

extension LocalSocket {
    /// Whether a file exists at the path, or `true` if this cannot be determined.
    var isThere: Bool {
        do throws(FileError) {
            _ = try FileStatus(path: path)
            return true
        } catch {
            return error.errno != ENOENT && error.errno != ENOTDIR
        }
    }

    /// Checks that a trusted user is listening on the socket, according to the kernel (`SO_PEERCRED`).
    func checkPeer() throws(RemoteKeysError) {
        let uid = try listener()
        let folder = try? FileStatus(path: (path as NSString).deletingLastPathComponent)
        guard trusts(uid, folderOwner: folder?.owner) else {
            throw RemoteKeysError(.protocolViolation, "the untrusted uid \(uid) is listening at \(path)")
        }
    }

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

/// The part that all issuers of an authority share, which is `{base}/{tenant}` in `{base}/{tenant}/{policy}/v2.0`.
public struct AuthorityName: Hashable, Sendable, CustomStringConvertible {
    /// The maximum length of a policy name, in bytes.
    static let longestPolicy = 64

    /// The base URL, without a trailing slash.
    public let base: String
    /// The tenant, which is the path segment after the base.
    public let tenant: String

    /// Creates the name of an authority.
    public init(base: String, tenant: String) {
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
        self.tenant = tenant
    }

    /// The base followed by the tenant.
    public var description: String { "\(base)/\(tenant)" }

    func issuer(of policy: String) -> String { "\(description)/\(policy.lowercased())/v2.0" }

    /// Returns the policy of an issuer, or `nil` for an issuer of another authority or an invalid policy name.
    public func policy(ofIssuer issuer: String) -> String? {
        let prefix = description + "/"
        let suffix = "/v2.0"
        guard issuer.hasPrefix(prefix), issuer.hasSuffix(suffix), issuer.count > prefix.count + suffix.count else {
            return nil
        }
        let policy = String(issuer.dropFirst(prefix.count).dropLast(suffix.count))
        // The policy comes from an unverified token and becomes part of a path, so its characters are limited.
        guard policy.utf8.count <= Self.longestPolicy, policy.utf8.allSatisfy(Self.isPolicyByte) else { return nil }
        return policy
    }

    private static func isPolicyByte(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x5F
    }
}
