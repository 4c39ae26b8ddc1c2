import FlowModel
import Localization
import OAuth
import Policies
import TestSupport
import Testing

@testable import Flows

/// Tests programs that display only some kinds of steps.
@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct PresentationTests {
    private func shows(_ steps: StepType...) -> Presentation { Presentation(steps: Set(steps)) }

    @Test("a program that displays forms displays every step, and others those that they name") func shown() {
        #expect(Presentation().shows(.code) && shows(.form, .password).shows(.code))
        #expect(shows(.password).shows(.password) && !shows(.password).shows(.code))
    }

    @Test("a flow with a step that its program does not display is refused, and nothing is created or charged")
    func refused() async throws {
        let world = try World()
        for steps in [shows(.password), shows(.attributes), shows(.code)] {
            let refusal = await #expect(throws: Refusal.self) {
                try await world.start(.signUp, presentation: steps)
            }
            #expect(refusal?.reason == .unsupportedStep)
        }
        #expect(try await world.flows.count(owner: World.jo) == 0)
        #expect(try await world.mail() == nil)
        #expect(try await world.start(.signUp, presentation: shows(.attributes, .code)).flow.step?.type == .attributes)
        #expect(try await world.start(.signIn, presentation: shows(.password)).flow.step?.type == .password)
    }

    @Test("a sign-in by code needs both of its steps, a consent its own, and a new account only its form")
    func kinds() async throws {
        let code = Samples.policy(.signIn, signInChecks: ["EmailCode"])
        let world = try World(policies: [code, Samples.policy(.signUp)])
        let half = await #expect(throws: Refusal.self) {
            try await world.start(.signIn, presentation: shows(.identifier))
        }
        #expect(half?.reason == .unsupportedStep)
        let both = try await world.start(.signIn, presentation: shows(.identifier, .code))
        #expect(both.flow.step?.type == .identifier)
        let consent = Requirement(consent: .init(client: "app", clientName: "App", scopes: []))
        let other = try World()
        let refusal = await #expect(throws: Refusal.self) {
            try await other.start(.signIn, requirement: consent, presentation: shows(.password))
        }
        #expect(refusal?.reason == .unsupportedStep && refusal?.message.contains("consent") == true)
        _ = try await other.start(.signIn, requirement: consent, presentation: shows(.password, .consent))
    }

    @Test("sign-up is offered only to programs that display its steps") func create() {
        func names(_ presentation: Presentation) -> [Action.Name] {
            Rig(presentation: presentation).step?.actions.map(\.name) ?? []
        }
        #expect(names(shows(.password)) == [.cancel])
        #expect(names(shows(.password, .attributes, .code)) == [.cancel, .create])
    }

    @Test("a program joins no flow with a step that it does not display") func joined() async throws {
        let world = try World()
        let first = try await world.start(.signUpOrSignIn, joinKey: "k")
        #expect(first.flow.step?.type == .password)
        let refusal = await #expect(throws: Refusal.self) {
            try await world.start(.signUpOrSignIn, joinKey: "k", presentation: shows(.attributes, .code))
        }
        #expect(refusal?.reason == .unsupportedStep)
        #expect(try await world.start(.signUpOrSignIn, joinKey: "k", presentation: shows(.password)).joined)
    }
}
