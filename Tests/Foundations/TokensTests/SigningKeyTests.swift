import Foundation
import OAuth
import Testing
import Tokens

@Suite(.timeLimit(.minutes(2)))
struct SigningKeyTests {
    @Test("the public key verifies its signatures, and nothing else", arguments: SigningAlgorithm.allCases)
    func signs(_ alg: SigningAlgorithm) throws {
        let key = try SigningKey.generate(alg)
        let bytes = Array("message".utf8)
        let signature = try key.sign(bytes)
        #expect(key.publicKey.verifies(signature: signature, over: bytes))
        #expect(!key.publicKey.verifies(signature: signature, over: bytes + [0]))
        #expect(!key.publicKey.verifies(signature: signature.dropLast(), over: bytes))
        #expect(!key.publicKey.verifies(signature: signature + [0], over: bytes))
        #expect(!key.publicKey.verifies(signature: [UInt8](), over: bytes))
        #expect(!key.publicKey.verifies(signature: Data(count: signature.count), over: bytes))
        #expect(key.alg == alg)
        #expect(key.kid == key.publicKey.thumbprint)
    }

    @Test("a key is restored from its bytes under its id", arguments: SigningAlgorithm.allCases)
    func serialized(_ alg: SigningAlgorithm) throws {
        let key = try SigningKey.generate(alg)
        let read = try SigningKey(serialized: try key.serialized, alg: alg, kid: key.kid)
        #expect(read.publicKey == key.publicKey)
        let signature = try read.sign(Array("message".utf8))
        #expect(key.publicKey.verifies(signature: signature, over: Array("message".utf8)))
    }

    @Test("another key's id, another algorithm and damaged bytes are rejected", arguments: SigningAlgorithm.allCases)
    func refused(_ alg: SigningAlgorithm) throws {
        let serialized = try SigningKey.generate(alg).serialized
        var damaged = serialized.revealBytes()
        damaged.removeLast()
        let other: SigningAlgorithm = alg == .rs256 ? .es256 : .rs256
        let attempts: [(Secret, SigningAlgorithm, String?)] = [
            (serialized, alg, "another"), (serialized, other, nil), (Secret(bytes: damaged), alg, nil),
            (Secret(""), alg, nil), (Secret(bytes: serialized.revealBytes() + [0]), alg, nil),
        ]
        for (bytes, alg, kid) in attempts {
            let error = #expect(throws: TokenError.self) { try SigningKey(serialized: bytes, alg: alg, kid: kid) }
            #expect(error?.code == .unusableKey)
        }
    }

    @Test("an RSA key with inconsistent parts is rejected") func tampered() throws {
        var bytes = try SigningKey.generate(.rs256).serialized.revealBytes()
        bytes[bytes.count / 2] ^= 1
        let error = #expect(throws: TokenError.self) { try SigningKey(serialized: Secret(bytes: bytes), alg: .rs256) }
        #expect(error?.code == .unusableKey)
    }

    @Test("a key prints only its id") func redacted() throws {
        let key = try SigningKey.generate(.es256)
        var dumped = ""
        dump(key, to: &dumped)
        #expect("\(key)" == "ES256 key \(key.kid)")
        #expect(!dumped.contains("material"))
    }

    @Test("many threads sign with one RSA key at once") func concurrent() async throws {
        let key = try SigningKey.generate(.rs256)
        try await withThrowingTaskGroup { group in
            for index in 0..<16 {
                group.addTask {
                    let bytes = Array("message \(index)".utf8)
                    return key.publicKey.verifies(signature: try key.sign(bytes), over: bytes)
                }
            }
            for try await verified in group { #expect(verified) }
        }
    }
}
