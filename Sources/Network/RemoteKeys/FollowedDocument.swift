import Foundation
import OAuth
import Tokens

/// The reader of the description that an authority of this machine serves of itself.
struct FollowedDocument: Sendable {
    let sockets: [LocalSocket]
    let fetcher: KeyFetcher

    /// The name and keys of an authority, the policy at which a person signs in who was sent to none, and those at which
    /// people sign in with providers outside.
    typealias Found = (
        name: AuthorityName, keys: IssuerDocuments.Keys, defaultPolicy: String?, providers: [String: String]
    )

    /// Fetches the authority's current name, keys and default policy.
    ///
    /// - Throws: ``RemoteKeysError`` if no server answers, or one that is not trusted.
    func read() async throws -> Found {
        let socket = try Self.socket(of: sockets)
        guard let described = try await Self.description(at: socket.path, by: fetcher) else {
            throw RemoteKeysError(.protocolViolation, "\(socket.path) does not say which authority it is")
        }
        return described
    }

    /// The first of the sockets that is there.
    ///
    /// - Throws: ``RemoteKeysError`` if there is none, or who listens there is not trusted.
    static func socket(of sockets: [LocalSocket]) throws -> LocalSocket {
        guard let socket = sockets.first(where: \.isThere) else {
            let paths = sockets.map(\.path).joined(separator: " and no ")
            throw RemoteKeysError(.unreachable, "there is no \(paths)")
        }
        try socket.checkPeer()
        return socket
    }

    /// Fetches the description at a socket; nil if there is none.
    ///
    /// - Throws: ``RemoteKeysError`` if no server answers, or with what is no description.
    static func description(
        at socket: String,
        by fetcher: KeyFetcher
    ) async throws -> Found? {
        let origin = KeyOrigin.unixSocket(path: socket)
        let path = AuthorityDescription.path
        guard let document = try await fetcher.document(path: path, host: "localhost", from: origin) else { return nil }
        do {
            guard let description = AuthorityDescription(json: try StrictJSON.parse(document.bytes)) else {
                throw RemoteKeysError(.protocolViolation, "\(socket) has a description that lacks members")
            }
            let keys = try JWKSet.parse(Data(description.keys.bytes))
            return (
                AuthorityName(base: description.base, tenant: description.tenant),
                IssuerDocuments.Keys(set: keys, freshness: document.freshness),
                description.defaultPolicy,
                description.providers
            )
        } catch let error as RemoteKeysError {
            throw error
        } catch {
            throw RemoteKeysError(.protocolViolation, "the description at \(socket) cannot be read: \(error)")
        }
    }
}
