import Foundation
import OAuth
import Testing

@testable import Credentials

@Suite(.timeLimit(.minutes(1)))
struct KeyRecipeTests {
    private let hasher = PasswordHasher(parameters: Argon2Parameters(memory: 8, passes: 1, lanes: 1))
    private let pepper = Secret("pepper")

    @Test("a stored recipe derives the same key from the same passphrase, and from no other") func again() async throws
    {
        let made = try await hasher.key(of: Secret("heron"), pepper: pepper)
        #expect(made.key.count == 32)
        let kept = try KeyRecipe(serialized: made.recipe.serialized)
        #expect(kept == made.recipe)
        // The key is derived with the costs in the recipe, not with the parameters of the new hasher.
        let later = PasswordHasher(parameters: Argon2Parameters(memory: 64, passes: 2, lanes: 1))
        #expect(try await later.key(of: Secret("heron"), recipe: kept, pepper: pepper).key == made.key)
        #expect(try await later.key(of: Secret("Heron"), recipe: kept, pepper: pepper).key != made.key)
        #expect(try await later.key(of: Secret("heron"), recipe: kept, pepper: Secret("salt")).key != made.key)
    }

    @Test("each recipe has its own salt") func salts() async throws {
        let (one, two) = (
            try await hasher.key(of: Secret("x"), pepper: pepper), try await hasher.key(of: Secret("x"), pepper: pepper)
        )
        #expect(one.recipe != two.recipe)
        #expect(one.key != two.key)
    }

    @Test(
        "an invalid recipe or one with costs out of range is rejected",
        arguments: [
            "", "$argon2id$v=19$m=8,t=1,p=1$", "$argon2i$v=19$m=8,t=1,p=1$WlpaWlpaWlpaWlpaWlpaWg$",
            "$argon2id$v=19$m=8,t=1,p=1$WlpaWlpaWlpaWlpaWlpaWg",
            "$argon2id$v=19$m=9999999,t=1,p=1$WlpaWlpaWlpaWlpaWlpaWg$",
        ]
    )
    func refused(_ text: String) {
        let error = #expect(throws: CredentialError.self) { try KeyRecipe(serialized: Data(text.utf8)) }
        #expect(error?.code == .malformedHash)
    }
}
