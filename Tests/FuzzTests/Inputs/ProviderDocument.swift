import OAuth

@testable import OpenIDClient

extension FuzzedInput {
    /// The metadata that an identity provider publishes.
    static let providerMetadata = FuzzedInput(name: "openid-metadata") { bytes in
        guard let json = try? StrictJSON.parse(bytes) else { return }
        if let document = try? ServerMetadata(json: json) {
            guard let again = try? ServerMetadata(json: document.json) else {
                throw Broken(description: "a document does not read back")
            }
            try require(again == document, "a document reads back as another")
        }
        let issuer = "https://provider.example/t"
        for hasPolicies in [false, true] {
            guard let metadata = try? ProviderMetadata(json, of: issuer, hasPolicies: hasPolicies) else { continue }
            try require(hasPolicies || metadata.issuer == issuer, "another issuer is believed")
            try require(OutsideURL.haveSameOrigin(metadata.issuer, issuer), "an issuer of another origin is believed")
            let addresses = [
                metadata.authorization, metadata.token, metadata.userinfo, metadata.keys, metadata.revocation,
                metadata.introspection, metadata.deviceAuthorization, metadata.endSession,
            ]
            for address in addresses.compactMap(\.self) {
                try require(address.lowercased().hasPrefix("https://"), "a secret would go to \(address)")
                try require(address.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "an address ends a line")
                try require(OutsideURL.refusal(address) == nil, "an address that is refused: \(address)")
            }
        }
    }
}
