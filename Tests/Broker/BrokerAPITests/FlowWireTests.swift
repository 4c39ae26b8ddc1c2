import BrokerAPI
import FlowModel
import OAuth
import Testing

@Suite(.timeLimit(.minutes(2)))
struct FlowWireTests {
    @Test(
        "a flow survives an encoding round trip",
        arguments: [
            .challenge, .pending, .succeeded, .failed(.blocked), .failed(.wrongUser), .cancelled, .expired,
        ] as [FlowState]
    )
    func roundTrip(_ state: FlowState) throws {
        let written = flow(state)
        let parsed = try StrictJSON.parse(written.json.bytes)
        #expect(try Flow(WireReader(parsed)) == written)
    }

    @Test("a failed flow says why, and when to try again") func failed() {
        let json = flow(.failed(.blocked)).json
        #expect(json["state"] == "failed")
        #expect(json["reason"] == "blocked")
        #expect(json["retryAfterMs"] == 60_000)
    }

    @Test("the JSON has the shape that clients know") func shape() {
        let json = flow(.challenge).json
        #expect(json["want"] == ["scopes": ["tasks.read"], "acr": ["2"], "maxAge": 300])
        #expect(json["step"]?["attempts"] == ["remaining": 1, "max": 3, "last": true])
        #expect(json["step"]?["actions"] == [["name": "resend", "availableAt": 7]])
        #expect(json["step"]?["messages"] == [["code": "c", "level": "error", "text": "t", "node": "password"]])
        #expect(json["step"]?["nodes"]?.array?[1]["options"] == ["red", "blue"])
    }

    @Test("the value of a secret or a code is never written") func secrets() {
        for kind in [Node.Kind.secret, .code] {
            let node = Node(name: "n", kind: kind, label: "N", required: true, value: "hunter2")
            #expect(node.json["value"] == nil)
        }
        #expect(Node(name: "n", kind: .text, label: "N", required: true, value: "x").json["value"] == "x")
    }

    @Test("steps, kinds, actions and levels of newer versions are decoded") func newer() throws {
        var json = flow(.challenge).json.object ?? [:]
        json["step"] = [
            "id": "st_1", "type": "retina_scan", "title": "Look here", "data": nil,
            "nodes": [["name": "eye", "kind": "hologram"]], "actions": [["name": "blink"]],
            "messages": [["code": "x", "level": "urgent", "text": "Now."]], "later": 1,
        ]
        let step = try #require(try Flow(WireReader(.object(json))).step)
        #expect(step.type == StepType(rawValue: "retina_scan"))
        #expect(step.nodes == [Node(name: "eye", kind: .text, label: "eye", required: false)])
        #expect(step.actions == [Action(.other("blink"))])
        #expect(step.messages.first?.level == .info)
        #expect(step.data == nil)
    }

    @Test(
        "a flow with a missing required member is not decoded",
        arguments: ["id", "rev", "policy", "state", "expiresAt"]
    )
    func missing(_ member: String) {
        var json = flow(.challenge).json.object ?? [:]
        json[member] = nil
        let error = #expect(throws: UnreadableAnswer.self) { try Flow(WireReader(.object(json))) }
        #expect(error?.member == member)
    }

    private func flow(_ state: FlowState) -> Flow {
        Flow(
            id: "fl_1",
            rev: 4,
            policy: "b2c_1_sign_in",
            state: state,
            expiresAt: 1_795_000_900_000,
            stepExpiresAt: 1_795_000_120_000,
            want: .init(scopes: ["tasks.read"], acrValues: ["2"], maxAge: 300),
            step: Step(
                id: "st_1",
                type: .password,
                check: "UserLogin",
                title: "Sign in",
                nodes: [
                    Node(name: "password", kind: .secret, label: "Password", required: true, maxLength: 64),
                    Node(name: "team", kind: .select, label: "Team", required: false, options: ["red", "blue"]),
                ],
                attempts: AttemptsLeft(remaining: 1, max: 3),
                messages: [Message(code: "c", level: .error, text: "t", node: "password")],
                actions: [Action(.resend, availableAt: 7)],
                data: ["hint": "j•••@example.org"]
            ),
            retryAfterMs: 60_000
        )
    }
}
