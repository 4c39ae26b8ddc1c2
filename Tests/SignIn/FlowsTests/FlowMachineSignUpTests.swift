import AuthorityStore
import FlowModel
import Foundation
import Moments
import OAuth
import Policies
import TestSupport
import Testing

@testable import Flows

@Suite(.timeLimit(.minutes(2)))
struct FlowMachineSignUpTests {
    @Test("sign-up prompts for the policy's attributes in order, and a password") func nodes() throws {
        let rig = Rig(Samples.policy(.signUp))
        let step = try #require(rig.step)
        #expect(step.type == .attributes)
        #expect(
            step.nodes.map(\.name) == [
                "email", "displayName", "city", "extension_team", "extension_age", "extension_news", "password",
            ]
        )
        #expect(step.nodes.map(\.kind) == [.email, .text, .text, .select, .number, .bool, .secret])
        #expect(step.nodes.map(\.required) == [true, true, false, false, false, false, true])
        #expect(step.nodes[3].options == ["red", "blue"])
        #expect(step.nodes[6].minLength == 8)
        #expect(step.actions.map(\.name) == [.cancel])
    }

    @Test("the account is created only after the code, with the hash and never the password") func whole() throws {
        let rig = Rig(Samples.policy(.signUp))
        rig.submit(Samples.attributes.merging(["city": "Ulm", "extension_age": 41, "extension_news": true]) { $1 })
        #expect(
            rig.work == .hashOfAccount(Secret("Secret123"), address: "jo@example.org", sendsCode: true)
        )
        rig.happen(.evaluated(.hashed(Data("$argon2id$x".utf8))))
        #expect(rig.finish == nil)
        #expect(rig.recipient == .newAddress("jo@example.org"))
        rig.happen(.evaluated(.codeMade(Samples.code(.newAddress("jo@example.org")))))
        #expect(rig.verdict == .next)
        #expect(rig.mails == [.code(to: "jo@example.org", code: Secret("123456"))])
        #expect(rig.step?.type == .code)
        #expect(rig.step?.nodes.map(\.kind) == [.code])
        let stored = String(decoding: try JSONEncoder().encode(rig.record), as: UTF8.self)
        #expect(!stored.contains("Secret123"))
        #expect(!stored.contains("123456"))
        rig.submit(["code": "123 456"])
        rig.happen(.evaluated(.right(nil)))
        #expect(rig.verdict == .accepted)
        let finish = try #require(rig.finish)
        #expect(finish.newUser?.passwordHash?.revealBytes() == Data("$argon2id$x".utf8))
        #expect(finish.newUser?.signInNames.map(\.value) == ["jo@example.org"])
        #expect(finish.newUser?.attributes["city"] == "Ulm")
        #expect(finish.newUser?.attributes["extension_age"] == 41)
        #expect(finish.newUser?.attributes["extension_news"] == true)
        #expect(finish.authentication.isNewUser)
        #expect(finish.authentication.proofs.map(\.credential) == [.email, .password])
        #expect(UUID(uuidString: finish.user.oid) != nil)
        #expect(rig.record.outcome?.displayName == "Jo")
    }

    @Test("the state of a flow survives encoding and decoding") func codable() throws {
        let rig = Rig(Samples.policy(.signUp))
        rig.signUp()
        let data = try JSONEncoder().encode(rig.record)
        #expect(try JSONDecoder().decode(FlowRecord.self, from: data) == rig.record)
    }

    @Test(
        "an invalid attribute is 1006 with the node and the reason",
        arguments: [
            ("email", "jo", "malformed"), ("email", nil, "missing"), ("email", 5, "wrong_type"),
            ("displayName", nil, "missing"), ("displayName", "a<b", "malformed"),
            ("displayName", .string(String(repeating: "a", count: 257)), "too_long"),
            ("displayName", "a\u{7}b", "malformed"), ("extension_team", "green", "not_an_option"),
            ("extension_age", "41", "wrong_type"), ("extension_age", 4.5, "wrong_type"),
            ("extension_news", "true", "wrong_type"), ("password", "short", "too_short"),
            ("password", "alllowercase", "too_weak"),
            ("password", .string(String(repeating: "aA1", count: 30)), "too_long"),
            ("password", nil, "missing"), ("oid", "1", "unknown"),
        ] as [(String, JSONValue, String)]
    )
    func refused(_ name: String, _ value: JSONValue, _ code: String) {
        let rig = Rig(Samples.policy(.signUp))
        rig.submit(Samples.attributes.merging([name: value]) { $1 })
        #expect(rig.refusal?.reason == .invalidAnswer)
        #expect(rig.refusal?.nodes.map { "\($0.name) \($0.code.rawValue)" } == ["\(name) \(code)"])
        #expect(rig.work == nil)
    }

    @Test("an optional attribute may be omitted, empty or null") func optional() {
        let rig = Rig(Samples.policy(.signUp))
        rig.submit(Samples.attributes.merging(["city": "", "extension_team": nil]) { $1 })
        #expect(
            rig.work == .hashOfAccount(Secret("Secret123"), address: "jo@example.org", sendsCode: true)
        )
        #expect(rig.record.inHand.draft?.attributes.keys.sorted() == ["displayName", "email"])
    }

    @Test("an address that needs no verification ends the sign-up at once") func unverified() {
        let rules = [AttributeRule(name: "email", required: true), AttributeRule(name: "displayName")]
        let rig = Rig(Samples.policy(.signUp, attributes: rules))
        rig.submit(Samples.attributes)
        rig.happen(.evaluated(.hashed(Data("h".utf8))))
        #expect(rig.finish?.authentication.amr == ["pwd"])
    }

    @Test("a policy with user names signs up without an address") func username() {
        let rules = [AttributeRule(name: "username", required: true)]
        let rig = Rig(Samples.policy(.signUp, signInName: .username, attributes: rules))
        rig.submit(["username": "jo", "password": "Secret123"])
        rig.happen(.evaluated(.hashed(Data("h".utf8))))
        #expect(rig.finish?.newUser?.signInNames.map(\.kind) == [.username])
        #expect(rig.finish?.newUser?.username == "jo" && rig.finish?.newUser?.email == nil)
    }

    @Test("a name that was taken in the meantime is prompted for again") func taken() throws {
        let rules = [AttributeRule(name: "username", required: true)]
        let rig = Rig(Samples.policy(.signUp, signInName: .username, attributes: rules))
        rig.submit(["username": "jo", "password": "Secret123"])
        let before = rig.record
        rig.happen(.evaluated(.hashed(Data("h".utf8))))
        #expect(rig.finish != nil)
        rig.record = before
        rig.happen(.nameTaken)
        #expect(rig.verdict == .rejected)
        #expect(rig.step?.type == .attributes)
        #expect(rig.step?.messages.map(\.code) == ["name.taken"])
        #expect(rig.step?.nodes.first?.value == "jo")
        #expect(rig.record.outcome == nil)
    }

    @Test("a wrong code keeps the code valid and the step's expiry unchanged") func wrongCode() {
        let rig = Rig(Samples.policy(.signUp))
        rig.signUp()
        let ends = rig.flow.stepExpiresAt
        rig.clock.advance(by: .seconds(60))
        rig.submit(["code": "000000"])
        rig.happen(.evaluated(.wrong))
        #expect(rig.step?.messages.map(\.code) == ["code.wrong"])
        #expect(rig.flow.stepExpiresAt == ends)
        #expect(rig.record.inHand.code?.mac != nil)
    }

    @Test(
        "an answer without six digits is malformed and charges nothing",
        arguments: ["12345", "1234567", "abcdef", ""]
    )
    func malformedCode(_ text: String) {
        let rig = Rig(Samples.policy(.signUp))
        rig.signUp()
        rig.submit(["code": .string(text)])
        #expect(rig.refusal?.reason == .invalidAnswer)
        #expect(rig.work == nil)
    }

    @Test("a resend before 30 s is 1013 with the waiting time, to the millisecond") func resendTooSoon() {
        let rig = Rig(Samples.policy(.signUp))
        rig.signUp()
        #expect(rig.step?.actions.first { $0.name == .resend }?.availableAt == rig.clock.now.wall + 30_000)
        rig.clock.advance(by: .milliseconds(29_999))
        rig.act("resend")
        #expect(rig.refusal?.reason == .limitExceeded)
        #expect(rig.refusal?.retryAfterMs == 1)
        rig.clock.advance(by: .milliseconds(1))
        rig.act("resend")
        #expect(rig.recipient == .newAddress("jo@example.org"))
    }

    @Test("a new code invalidates the previous one and has its own expiry") func resend() {
        let rig = Rig(Samples.policy(.signUp))
        rig.signUp()
        let old = rig.step?.id
        rig.submit(["code": "000000"])
        rig.happen(.evaluated(.wrong))
        rig.clock.advance(by: .seconds(30))
        rig.act("resend")
        rig.happen(.evaluated(.codeMade(Samples.code(.newAddress("jo@example.org"), mac: "new"))))
        #expect(rig.record.inHand.code?.mac == Data("new".utf8))
        #expect(rig.step?.id != old)
        #expect(rig.flow.stepExpiresAt == rig.clock.now.wall + 600_000)
    }

    @Test("a flow sends at most five mails") func fiveMails() {
        let rig = Rig(Samples.policy(.signUp))
        rig.signUp()
        for _ in 0..<4 {
            rig.clock.advance(by: .seconds(30))
            rig.act("resend")
            rig.happen(.evaluated(.codeMade(Samples.code(.newAddress("jo@example.org")))))
        }
        rig.clock.advance(by: .seconds(30))
        #expect(rig.step?.actions.contains { $0.name == .resend } == false)
        rig.act("back")
        rig.submit(Samples.attributes.merging(["email": "ann@example.org"]) { $1 })
        #expect(rig.refusal?.reason == .limitExceeded)
        #expect(rig.refusal?.facts[.limit] == "mailsPerFlow")
    }

    @Test("going back from the code prompts for the attributes again, prefilled, and the old code is invalid")
    func back() {
        let rig = Rig(Samples.policy(.signUp))
        rig.signUp()
        rig.act("back")
        #expect(rig.verdict == .next)
        #expect(rig.step?.type == .attributes)
        #expect(rig.step?.nodes.first?.value == "jo@example.org")
        #expect(rig.step?.nodes.last?.value == nil)
        #expect(rig.record.inHand.code?.mac == nil)
        #expect(rig.record.inHand.draft == nil)
        rig.submit(Samples.attributes)
        #expect(rig.refusal?.reason == .limitExceeded)
        #expect(rig.refusal?.retryAfterMs == 30_000)
    }

    @Test("sign-up or sign-in can be switched in both directions") func create() {
        let rig = Rig()
        rig.act("create")
        #expect(rig.step?.type == .attributes)
        #expect(rig.step?.actions.map(\.name) == [.cancel, .back])
        rig.act("back")
        #expect(rig.step?.type == .password)
    }

    @Test("a flow that starts with a sign-up begins with the attributes") func entrance() {
        let rig = Rig(requirement: Requirement(entrance: .create))
        #expect(rig.step?.type == .attributes)
        #expect(rig.step?.actions.map(\.name) == [.cancel])
    }

    @Test("signing up under a name other than the required one is 1020 and ends the flow") func otherName() {
        let rig = Rig(Samples.policy(.signUp), requirement: Requirement(user: .signInName("ann@example.org")))
        #expect(rig.step?.nodes.first?.value == "ann@example.org")
        rig.submit(Samples.attributes)
        #expect(rig.refusal?.reason == .wrongUser)
        #expect(rig.flow.state == .failed(.wrongUser))
        #expect(rig.work == nil)
    }
}
