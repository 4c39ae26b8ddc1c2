import Foundation
import OAuth
import Tokens

/// Fetches the metadata of an authority's issuers, and the keys that the metadata refers to.
struct IssuerDocuments: Sendable {
    struct Keys: Sendable {
        let set: JWKSet
        let freshness: Duration
    }

    let origin: KeyOrigin
    let fetcher: KeyFetcher

    /// Fetches an issuer's keys, or returns `nil` if the authority does not know the issuer.
    func keys(of issuer: String) async throws -> Keys? {
        guard let address = WebAddress(issuer) else {
            throw RemoteKeysError(.protocolViolation, "\(issuer) is not a valid URL")
        }
        guard let metadata = try await metadata(address, issuer) else { return nil }
        guard let place = metadata.jwksURI.flatMap(WebAddress.init), place.origin == address.origin else {
            throw RemoteKeysError(.protocolViolation, "the keys of \(issuer) are at another origin")
        }
        guard let document = try await fetcher.document(path: place.path, host: place.authority, from: origin) else {
            throw RemoteKeysError(.protocolViolation, "\(issuer) has no keys at its jwks_uri")
        }
        do {
            return Keys(set: try JWKSet.parse(document.bytes), freshness: document.freshness)
        } catch {
            throw RemoteKeysError(.protocolViolation, "the keys of \(issuer) cannot be read: \(error)")
        }
    }

    func metadata(of issuer: String) async throws -> ServerMetadata? {
        guard let address = WebAddress(issuer) else {
            throw RemoteKeysError(.protocolViolation, "\(issuer) is not a valid URL")
        }
        return try await metadata(address, issuer)
    }

    /// Fetches an issuer's metadata (RFC 8414 §3.1, then OpenID Connect Discovery §4), or returns `nil` if it has none.
    private func metadata(_ address: WebAddress, _ issuer: String) async throws -> ServerMetadata? {
        let path = address.path.hasSuffix("/") ? String(address.path.dropLast()) : address.path
        let places = ["/.well-known/oauth-authorization-server" + path, path + "/.well-known/openid-configuration"]
        for place in places {
            guard let document = try await fetcher.document(path: place, host: address.authority, from: origin) else {
                continue
            }
            let metadata: ServerMetadata
            do {
                metadata = try ServerMetadata(json: StrictJSON.parse(document.bytes))
            } catch {
                throw RemoteKeysError(.protocolViolation, "the metadata of \(issuer) cannot be read: \(error)")
            }
            guard metadata.issuer == issuer else {
                throw RemoteKeysError(.protocolViolation, "the metadata of \(issuer) is for another issuer")
            }
            return metadata
        }
        return nil
    }
}
