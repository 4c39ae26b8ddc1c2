import Moments
import OAuth
import Testing
import Tokens

@Suite(.timeLimit(.minutes(2)))
struct KnownSignaturesTests {
    private let known = KnownSignatures()
    private let forge: Forge

    init() throws {
        forge = try Forge()
    }

    private func refusal(
        _ token: String,
        keys: (String) -> VerificationKey?,
        at moment: Moment? = nil
    ) -> TokenError.Code? {
        do {
            _ = try JWTVerifier.verify(token, keys: keys, expected: forge.expectations(at: moment), known: known)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("an accepted token is accepted again") func again() throws {
        let token = try forge.token()
        for _ in 0..<3 { #expect(refusal(token, keys: { _ in forge.key.publicKey }) == nil) }
    }

    @Test("a cached signature is not valid for other claims, and a cached token not with another signature")
    func others() throws {
        let (token, other) = (try forge.token(), try forge.token(claims: forge.claims.merging(["sub": "x"]) { $1 }))
        #expect(refusal(token, keys: { _ in forge.key.publicKey }) == nil)
        let (parts, others) = (token.split(separator: "."), other.split(separator: "."))
        let forged = [others[0], others[1], parts[2]].joined(separator: ".")
        #expect(refusal(forged, keys: { _ in forge.key.publicKey }) == .badSignature)
        let unsigned = [parts[0], parts[1], others[2]].joined(separator: ".")
        #expect(refusal(unsigned, keys: { _ in forge.key.publicKey }) == .badSignature)
    }

    @Test("a cached token is rejected once its key is revoked or replaced, and once it has expired") func ended() throws
    {
        let token = try forge.token()
        #expect(refusal(token, keys: { _ in forge.key.publicKey }) == nil)
        #expect(refusal(token, keys: { _ in nil }) == .unknownKey)
        let stranger = try SigningKey.generate(.eddsa)
        #expect(refusal(token, keys: { _ in stranger.publicKey }) == .unknownKey)
        let namesake = stranger.named(forge.key.kid).publicKey
        #expect(refusal(token, keys: { _ in namesake }) == .algorithmMismatch)
        let now = forge.now
        let later = Moment(wall: now.wall + 7_200_000, boot: now.boot + 7_200_000, bootID: now.bootID)
        #expect(refusal(token, keys: { _ in forge.key.publicKey }, at: later) == .expired)
    }

    @Test("a rejected token is rejected again") func refused() throws {
        let parts = try forge.token().split(separator: ".")
        let forged = [parts[0], parts[1], Substring(Base64URL.encode([UInt8](repeating: 7, count: 64)))]
        for _ in 0..<2 {
            #expect(refusal(forged.joined(separator: "."), keys: { _ in forge.key.publicKey }) == .badSignature)
        }
    }
}
