import Foundation
import Moments
import OAuth
import Tokens

@testable import OpenIDClient

extension FuzzedInput {
    /// The claims of an ID token that is signed with the provider's own key.
    static let idToken = FuzzedInput(name: "id-token-claims") { bytes in
        guard let claims = (try? StrictJSON.parse(bytes))?.object else { return }
        for registration in registrations {
            guard let person = try? PersonClaims(claims: claims, registration: registration).identity() else {
                continue
            }
            try require(!person.subject.isEmpty && person.subject.utf8.count <= 255, "a subject of no length")
            for (name, value) in person.attributes {
                try require(!value.isEmpty && value.unicodeScalars.count <= 256, "\(name) has no fitting length")
                try require(!value.containsOutOfPlace(\.isMisleading), "\(name) may mislead a reader")
            }
            let isVerified = claims["email_verified"] == true || claims["email_verified"] == "true"
            try require(isVerified || person.attributes["email"] == nil, "an address counts that is not verified")
        }
        let now = Moment(wall: 1_795_000_000_000, boot: 1_000, bootID: "boot")
        if let time = IDTokenChecks.authTime(of: claims, at: now) {
            try require((1...now.seconds).contains(time), "a sign-in of \(time)")
        }
        let key = TestKeys.es256
        guard let signed = try? TokenMinter.mint(typ: .jwt, claims: claims, with: key),
            let token = try? UnverifiedJWT(signed.reveal())
        else { return }
        let asked = ProviderRequest(state: "s", nonce: "n-0S6_WzA2Mj", verifier: Secret("v"))
        let verified = try? IDTokenChecks.verify(
            token,
            key: key.publicKey,
            registrations[0],
            issuer: registrations[0].issuer,
            nonce: .of(asked),
            fresh: nil,
            beside: .answered(nil),
            now: now
        )
        guard let verified else { return }
        try require(verified.claims == claims, "the claims are others than the signed ones")
        try require(claims["iss"]?.string == registrations[0].issuer, "another issuer is believed")
        try require(claims["nonce"]?.string == asked.nonce, "another nonce is believed")
        let audiences = claims["aud"]?.string.map { [$0] } ?? claims["aud"]?.strings ?? []
        try require(audiences.contains(registrations[0].clientID), "another client's token is believed")
        try require(audiences.count == 1 || claims["azp"]?.string == registrations[0].clientID, "azp is another client")
        try require((claims["exp"]?.int ?? 0) + IDTokenChecks.leeway > now.seconds, "a token is believed after its end")
        try require(claims["at_hash"] == nil, "the hash of no token is believed")
    }

    private static let registrations = [true, false].map { trustsEmail in
        ProviderRegistration(
            name: "p",
            issuer: "https://provider.example",
            clientID: "client",
            redirectURI: "https://authority.example/return",
            claims: .init(
                subject: trustsEmail ? "sub" : "person.id",
                attributes: ["email": "email", "displayName": "name", "city": "address.locality"],
                trustsEmail: trustsEmail
            )
        )
    }
}
