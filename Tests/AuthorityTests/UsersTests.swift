import AuthorityStore
import FlowModel
import Foundation
import Moments
import OAuth
import Policies
import TestSupport
import Testing
import Tokens

@testable import Authority

struct UsersTests {
    @Test("a person is found by id and by name, disabled with everything they have, enabled, deleted") func life()
        async throws
    {
        let scene = try await Scene()
        let issued = try await scene.issued("tasks.read")
        #expect(try await scene.authority.user(Scene.user.oid).signInNames == ["ada@example.org"])
        let disabled = try await scene.authority.setEnabled("Ada@Example.org", false, scene.caller)
        #expect(!disabled.enabled)
        await #expect(throws: Refusal.self) {
            try await scene.authority.redeem(issued.refreshToken, client: "tokenbroker-cli", scene.caller)
        }
        #expect(try await scene.authority.setEnabled(Scene.user.oid, true, scene.caller).enabled)
        try await scene.authority.deleteUser(Scene.user.oid, scene.caller)
        let refusal = await #expect(throws: Refusal.self) { try await scene.authority.user(Scene.user.oid) }
        #expect(refusal?.reason == .accountNotFound)
        #expect(try await scene.events().suffix(3) == ["user.disabled", "user.enabled", "user.deleted"])
    }
}
