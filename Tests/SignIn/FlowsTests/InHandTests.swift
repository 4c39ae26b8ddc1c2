import Attempts
import AuthorityStore
import FlowModel
import Foundation
import Moments
import OAuth
import OpenIDClient
import Policies
import TestSupport
import Testing

@testable import CustomIdentity
@testable import Flows

/// Tests that the transient state of a flow is cleared, no matter how the flow ends.
@Suite(.timeLimit(.minutes(1)))
struct InHandTests {
    /// The ways in which a flow can end.
    enum Way: CaseIterable {
        case right, wrongUser, blocked, malformed, tooManyAnswers, cancelled, cancelledByStep, expired, givenUp
        case policyChanged, failed, wordsRefused, lastWayIn
    }

    private static let planted = "planted"

    /// Returns a transient state in which every member has a value.
    private func everything(_ now: Moment) -> InHand {
        let identity = ProviderIdentity(
            provider: Self.planted,
            issuer: Self.planted,
            subject: Self.planted,
            attributes: [:]
        )
        var draft = Draft(identity)
        draft.passwordHash = Data(Self.planted.utf8)
        return InHand(
            typedName: Self.planted,
            prefill: ["city": .string(Self.planted)],
            draft: draft,
            code: SentCode(
                address: Self.planted,
                subject: .name(Self.planted),
                purpose: .check("EmailCode"),
                person: nil,
                mac: Data(Self.planted.utf8),
                context: Self.planted,
                ends: Deadline(.seconds(600), after: now),
                resend: Deadline(.seconds(30), after: now)
            ),
            secrets: [.pin: Data(Self.planted.utf8), .password: Data(Self.planted.utf8), .totp: Data("7".utf8)],
            profile: ["city": .string(Self.planted)],
            edited: ["city": .string(Self.planted)],
            newIdentity: identity,
            conversation: Conversation(
                realm: Self.planted,
                challenge: RealmChallenge(stateID: Self.planted, data: .string(Self.planted)),
                name: Self.planted,
                nameField: Self.planted
            ),
            remark: Message(code: Self.planted, level: .info, text: Self.planted)
        )
    }

    private func holdsSecrets(_ stored: Data) -> Bool {
        let text = String(decoding: stored, as: UTF8.self)
        return text.contains(Self.planted) || text.contains(Data(Self.planted.utf8).base64EncodedString())
    }

    @Test("every member has a test value, so that no new member is forgotten below") func everyMember() {
        let full = Mirror(reflecting: everything(TestClock().now)).children.map { "\($0.value)" }
        let empty = Mirror(reflecting: InHand()).children.map { "\($0.value)" }
        #expect(full.count == empty.count && full.count == 10)
        for (one, other) in zip(full, empty) { #expect(one != other) }
    }

    @Test("every end clears the transient state, also in the row", arguments: Way.allCases) func ends(_ way: Way) throws
    {
        let user = RequiredUser.user(Samples.jo.user)
        let rig = Rig(Samples.policy(.signIn), requirement: Requirement(user: user))
        rig.record.inHand = everything(rig.clock.now)
        let answers: [String: JSONValue] = ["username": "jo@example.org", "password": "right"]
        #expect(holdsSecrets(try JSONEncoder().encode(rig.record)))
        switch way {
        case .right:
            rig.submit(answers)
            rig.happen(.evaluated(.right(Samples.jo, names: [])))
            #expect(rig.record.outcome != nil && rig.finish?.pin == Data(Self.planted.utf8))
        case .wrongUser:
            rig.submit(answers)
            let ann = ProvenPerson(user: UserID(oid: "ann"), username: "ann", displayName: nil, address: nil)
            rig.happen(.evaluated(.right(ann, names: [])))
        case .blocked:
            rig.submit(answers)
            rig.happen(.evaluated(.exhausted(retryAfterMs: 1)))
        case .malformed: for _ in 0...FlowLimits.malformedPerStep { rig.submit([:]) }
        case .tooManyAnswers:
            for _ in 0..<FlowLimits.submissionsPerFlow {
                rig.submit(answers)
                rig.happen(.evaluated(.wrong))
            }
            rig.submit(answers)
        case .cancelled: rig.happen(.cancelled)
        case .cancelledByStep: rig.act("cancel")
        case .expired:
            rig.clock.advance(by: .seconds(900))
            rig.happen(.timePassed)
        case .givenUp:
            rig.record.phase = .evaluating(rig.machine.claim("", now: rig.clock.now), over: nil)
            rig.clock.advance(by: .seconds(20))
            rig.happen(.timePassed)
        case .policyChanged: rig.record = FlowMachine.outdated(rig.record, now: rig.clock.now).record
        case .failed: rig.happen(.failed(.internal))
        case .wordsRefused: rig.happen(.wordsRefused)
        case .lastWayIn: rig.happen(.lastWayIn)
        }
        #expect(rig.record.isEnded && rig.record.step == nil && !rig.record.isEvaluating)
        #expect(rig.record.inHand == InHand())
        #expect(try !holdsSecrets(JSONEncoder().encode(rig.record)))
    }

    @Test("the row of an ended flow contains no input and no password hash")
    func row() async throws {
        let world = try World()
        let flow = try await world.start(.signUp).flow
        _ = try await world.submit(flow, Samples.attributes.merging(["city": .string(Self.planted)]) { $1 })
        let open = try #require(try await world.store.flows.list(owner: World.jo).first)
        // The stored row contains the password hash in Base64.
        let hash = Data("$argon2id".utf8).base64EncodedString()
        #expect(holdsSecrets(open.state) && String(decoding: open.state, as: UTF8.self).contains(hash))
        _ = try await world.flows.cancel(flow.id, caller: Caller(owner: World.jo))
        let ended = try #require(try await world.store.flows.get(open.idHash, owner: World.jo))
        #expect(!ended.isOpen && !holdsSecrets(ended.state))
        #expect(!String(decoding: ended.state, as: UTF8.self).contains(hash))
        #expect(try world.flows.engine.rows.read(ended).record.inHand == InHand())
    }

    /// The ways in which a flow can be ended by something other than the flow engine.
    enum Outside: CaseIterable {
        case cancelAll, signOut, logout
    }

    @Test("the row of a flow that was ended outside the engine contains none either", arguments: Outside.allCases)
    func outside(_ way: Outside) async throws {
        let world = try World()
        let owner = World.jo
        let flow = try await world.start(.signUp, requestID: "r").flow
        _ = try await world.submit(flow, Samples.attributes.merging(["city": .string(Self.planted)]) { $1 })
        let open = try #require(try await world.store.flows.list(owner: owner).first)
        let hash = Data("$argon2id".utf8).base64EncodedString()
        #expect(holdsSecrets(open.state) && String(decoding: open.state, as: UTF8.self).contains(hash))
        switch way {
        case .cancelAll: try await world.flows.cancelAll(owner: owner)
        case .signOut: try await world.store.sessions.signOut(owner: owner, user: nil)
        case .logout: try await world.store.sessions.end(owner: owner, events: [])
        }
        let ended = try #require(try await world.store.flows.get(open.idHash, owner: owner))
        #expect(ended.closedAs == "cancelled" && !holdsSecrets(ended.state))
        #expect(!String(decoding: ended.state, as: UTF8.self).contains(hash))
        // The owner can still see the end of the flow.
        let shown = try await world.flows.get(flow.id, owner: owner)
        #expect(shown.id == flow.id && shown.state == .cancelled && shown.rev > flow.rev && shown.want == flow.want)
        #expect(try await world.start(.signUp, requestID: "r").flow == shown)
    }
}
