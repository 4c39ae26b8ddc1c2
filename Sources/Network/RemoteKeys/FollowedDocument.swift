import Foundation
import OAuth
import Tokens

struct FollowedDocument: Sendable {
    let sockets: [LocalSocket]
    let fetcher: KeyFetcher

    typealias Found = (
        name: AuthorityName, keys: IssuerDocuments.Keys, defaultPolicy: String?, providers: [String: String]
    )

    /// Fetches the authority's current name, keys, default policy and providers over the authority's socket.
    func read() async throws -> Found {
        let socket = try Self.socket(of: sockets)
        guard let described = try await Self.description(at: socket.path, by: fetcher) else {
            throw RemoteKeysError(.protocolViolation, "\(socket.path) has no description of its authority")
        }
        return described
    }

    /// Returns the first socket that exists, or throws if none exists or the socket's server is not trusted.
    static func socket(of sockets: [LocalSocket]) throws -> LocalSocket {
        guard let socket = sockets.first(where: \.isThere) else {
            let paths = sockets.map(\.path).joined(separator: " and no ")
            throw RemoteKeysError(.unreachable, "there is no \(paths)")
        }
        try socket.checkPeer()
        return socket
    }

    static func description(
        at socket: String,
        by fetcher: KeyFetcher
    ) async throws -> Found? {
        let origin = KeyOrigin.unixSocket(path: socket)
        let path = AuthorityDescription.path
        guard let document = try await fetcher.document(path: path, host: "localhost", from: origin) else { return nil }
        do {
            guard let description = AuthorityDescription(json: try StrictJSON.parse(document.bytes)) else {
                throw RemoteKeysError(.protocolViolation, "\(socket) has an incomplete description")
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
