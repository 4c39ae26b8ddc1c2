import Crypto
import Foundation
import LocalIssuer
import OAuth
import TestSupport
import Testing
import Tokens

/// Tests of how a service authenticates as a client at an external authority.
@Suite(.timeLimit(.minutes(5)))
struct ServiceProofTests {
    private static let grant = ", grant: client_credentials, uids: [\(geteuid())], scopes: [files.read]"

    private static func pem(_ alg: SigningAlgorithm) throws -> (key: SigningKey, pem: String) {
        switch alg {
        case .rs256, .eddsa:
            let key = try SigningKey.generate(.rs256)
            let text = try key.serialized.revealBytes().base64EncodedString(options: .lineLength64Characters)
            return (key, "-----BEGIN RSA PRIVATE KEY-----\n\(text)\n-----END RSA PRIVATE KEY-----")
        case .es256:
            let key = P256.Signing.PrivateKey()
            let serialized = Secret(bytes: key.rawRepresentation)
            return (try SigningKey(serialized: serialized, alg: .es256), key.pemRepresentation)
        }
    }

    @Test(
        "a private key authenticates the client by a single-use assertion for the issuer or the token endpoint",
        arguments: [
            (.es256, ""), (.rs256, ""), (.es256, ", assertionAudience: token_endpoint"),
            (.es256, ", keyId: the-key"),
        ] as [(SigningAlgorithm, String)]
    )
    func key(_ alg: SigningAlgorithm, _ more: String) async throws {
        let (key, pem) = try Self.pem(alg)
        try await OutsideScene.run(
            Self.grant + more,
            proof: "privateKeyFile: contoso.pem",
            files: ["contoso.pem": pem]
        ) { scene in
            let issuer = scene.provider.issuer
            let known = more.contains("keyId") ? key.named("the-key") : key
            scene.provider.know(known.publicKey, as: more.contains("token_endpoint") ? issuer + "/token" : issuer)
            for round in 1...2 {
                let token = try scene.token(["forceRefresh": true])
                #expect(token["accessToken"]?.string == "access-service-\(round)", "\(token)")
            }
            #expect(scene.provider.serviceForms.allSatisfy { $0["client_secret"] == nil })
            #expect(try !scene.daemon.log().contains(pem.split(separator: "\n")[1]))
        }
    }

    @Test("an assertion by another key, or for another address, gets no token: 1015") func wrongKey() async throws {
        let (_, pem) = try Self.pem(.es256)
        try await OutsideScene.run(
            Self.grant,
            proof: "privateKeyFile: contoso.pem",
            files: ["contoso.pem": pem]
        ) { scene in
            scene.provider.know(try SigningKey.generate(.es256).publicKey, as: scene.provider.issuer)
            let refused = try scene.connection.refusal("token.acquire", OutsideScene.silent())
            #expect(refused.code == 1015, "\(refused)")
            #expect(scene.daemon.errors().contains("did not issue a token: invalid_client"))
            let statement = try #require(scene.provider.serviceForms.last?["client_assertion"])
            #expect(try !scene.daemon.log().contains(statement))
        }
    }

    @Test("a wrong secret gets no token: 1015, and the log does not contain it") func wrongSecret() async throws {
        try await OutsideScene.run(
            Self.grant,
            proof: "clientSecretFile: wrong.secret",
            files: ["wrong.secret": "a-wrong-secret-planted-here"]
        ) { scene in
            let refused = try scene.connection.refusal("token.acquire", OutsideScene.silent())
            #expect(refused.code == 1015, "\(refused)")
            #expect(try !scene.daemon.log().contains("planted"))
        }
    }

    @Test(
        "one daemon issues another a service token, by a secret and by a key",
        arguments: [true, false]
    )
    func pair(_ hasKey: Bool) throws {
        let (key, pem) = try Self.pem(.es256)
        let outside = try Machine(configuration: [
            "tenant: outside", "clients:",
            "  reports: {type: confidential, apis: [tasks], grants: [client_credentials], "
                + (hasKey ? "jwks: '\(JWKSet(keys: [key.publicKey]).json.text)'}" : "secretFile: reports.secret}"),
        ])
        let secret = "pMbzXhbxzV0r8Nn2rSSnOZx5mT3LkQe1fWvYcUaGd4E"
        try outside.writeSecret(secret, to: "etc/reports.secret")
        let provider = try outside.startBroker()
        let entry =
            "{url: \"\(outside.base)/outside/b2c_1_sign_up_or_in/v2.0\", clientId: reports, scopes: [tasks/tasks.read], "
            + "grant: client_credentials, uids: [\(geteuid())], "
        let machine = try Machine(configuration: [
            "authorities:",
            "  contoso: \(entry)" + (hasKey ? "privateKeyFile: reports.pem}" : "clientSecretFile: reports.secret}"),
        ])
        try machine.writeSecret(secret, to: "etc/reports.secret")
        try machine.writeSecret(pem, to: "etc/reports.pem")
        let daemon = try machine.startBroker()
        let connection = try machine.connect()
        let answer = try connection.call("token.acquire", ["policy": "contoso", "scopes": []])
        let token = try UnverifiedJWT(try #require(answer["token"]?["accessToken"]?.string, "\(answer)"))
        let claims = try token.unverifiedClaims()
        #expect(claims["client_id"]?.string == "reports" && claims["oid"] == nil, "\(claims)")
        #expect(claims["aud"]?.string == "tasks" || claims["aud"]?.strings == ["tasks"], "\(claims)")
        let again = try connection.call("token.acquire", ["policy": "contoso", "scopes": []])
        #expect(again["token"]?["fromCache"]?.bool == true)
        let other: JSONValue = ["policy": "contoso", "scopes": ["tasks/unheard.of"]]
        #expect(try connection.refusal("token.acquire", other).code == 1012)
        for program in [daemon, provider] {
            program.signal(SIGTERM)
            #expect(program.wait() == 0, "\(program.errors())")
            #expect(try !program.log().contains(secret))
        }
    }

    @Test("`--check` names a key file that is missing, readable by others, too short, or no key") func checked()
        throws
    {
        let short = """
            -----BEGIN RSA PRIVATE KEY-----
            MIICXQIBAAKBgQDRn04XITWSrLRzinpiZcn6csOdJ+O7BEh8WfzBPvJe9/5v8Mwo
            TgtDttR7MB4YwnC13G4r5zFyG5sZTjry1tsMtAWzUGgSohSK81xyAwMYbBe7vwAo
            oIGXvd2l92mzD1ZOLICfaxKIKbxgjMpJnILAdrxyv7PU75MSkPOuryyIlQIDAQAB
            AoGBAKWpYVyUKTOGe4HIUZoL2YitQ/yiNq5o3yQvNbo/FeqJ0LIEukOsEejsx5Wn
            XFGy8MI4t3TI3GHSgUuJcLrTo/5C4+HpTHGl9dXJEVoh4MIlnVGTuiH1l4H74aec
            lR6akcP6cQXfbAJ3HUg06Rahmo3mzIyp9pgTsHZfr8DdvF4BAkEA6ta5HWmczzcD
            ny+U8onHrSu/8DvO5k5VLnibIkIRlxhzH+bpVv7+kS6ErRRHr1PDFWUCp79VcawC
            MO5cd7M5gQJBAOSC4vFRYAyCofX5v+GWZLzE+DMB6Lo8yq5/DHPjQHRy3nGhWytL
            ArPfvSslU1XNCqtoDty1v+O4e6+7X/XHURUCQFHzOIoxDs2o7xSf8CRrPEkMGWDm
            Hh90enlLESf1Ulod6B7b39XCCmfzic00ZIekfVF7/F85f8G5OtKEe7Qx0QECQDVw
            Hl5Mp2eFjRaWxzacEwbKETjsc15KJSPVdjYLqOESk86C620eZ41k/zn9ypVAFASt
            mvwmTK+WTuZzrScu61kCQQCUw7Gkf10NqJVUMgJD9PscHs9bDCvbFNo1Puz295VS
            JxN+1SywEyhiBE7ams2P55PzAzHLRdvs7UPKCEExRIKd
            -----END RSA PRIVATE KEY-----
            """
        let files: [(text: String?, mode: Int, problem: String)] = [
            (nil, 0o600, "cannot be read"), (try Self.pem(.es256).pem, 0o644, "can be read by others"),
            (short, 0o600, "2048"), ("no key", 0o600, "one private key in PEM"),
            (P384.Signing.PrivateKey().pemRepresentation, 0o600, "a P-256 key"),
        ]
        for file in files {
            let entry = "{url: \"https://contoso.example\", clientId: ours, privateKeyFile: contoso.pem\(Self.grant)}"
            let machine = try Machine(configuration: ["authorities:", "  contoso: \(entry)"])
            if let text = file.text {
                try machine.writeSecret(text, to: "etc/contoso.pem")
                try FileManager.default.setAttributes(
                    [.posixPermissions: file.mode],
                    ofItemAtPath: machine.folder.path("etc/contoso.pem")
                )
            }
            let outcome = try machine.runBroker(["--check"])
            #expect(outcome.status == 78, "\(outcome)")
            #expect(outcome.errors.contains("privateKeyFile") && outcome.errors.contains(file.problem), "\(outcome)")
        }
    }
}
