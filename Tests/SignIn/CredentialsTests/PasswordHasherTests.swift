import Foundation
import OAuth
import Testing

@testable import Credentials

@Suite(.timeLimit(.minutes(1)))
struct PasswordHasherTests {
    private static let cheap = Argon2Parameters(memory: 64, passes: 1, lanes: 1)
    private let hasher = PasswordHasher(parameters: cheap)
    private let pepper = Secret("pepper")

    @Test("a password verifies against its own hash, and no other password does") func verifies() async throws {
        let stored = try await hasher.hash(Secret("correct horse"), pepper: pepper)
        #expect(try await hasher.verify(Secret("correct horse"), against: stored, pepper: pepper).matches)
        #expect(try await !hasher.verify(Secret("correct horsE"), against: stored, pepper: pepper).matches)
    }

    @Test("with another pepper every password is wrong") func pepperCounts() async throws {
        let stored = try await hasher.hash(Secret("correct horse"), pepper: pepper)
        #expect(try await !hasher.verify(Secret("correct horse"), against: stored, pepper: Secret("salt")).matches)
    }

    @Test("two hashes of one password differ") func salted() async throws {
        let first = try await hasher.hash(Secret("x"), pepper: pepper)
        let second = try await hasher.hash(Secret("x"), pepper: pepper)
        #expect(first != second)
    }

    @Test("a password matches in composed and decomposed Unicode form") func normalised() async throws {
        let stored = try await hasher.hash(Secret("caf\u{e9}"), pepper: pepper)
        #expect(try await hasher.verify(Secret("cafe\u{301}"), against: stored, pepper: pepper).matches)
    }

    @Test("a hash with other costs still verifies and is reported as outdated") func rehash() async throws {
        let older = PasswordHasher(parameters: Argon2Parameters(memory: 32, passes: 1, lanes: 1))
        let stored = try await older.hash(Secret("x"), pepper: pepper)
        let now = try await hasher.verify(Secret("x"), against: stored, pepper: pepper)
        #expect(now.matches)
        #expect(now.needsRehash)
        #expect(try await !older.verify(Secret("x"), against: stored, pepper: pepper).needsRehash)
    }

    @Test("the default costs are 19 MiB, two passes and one lane") func standardCosts() async throws {
        let stored = try await PasswordHasher().hash(Secret("x"), pepper: pepper)
        #expect(stored.reveal().hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
    }

    @Test("an unknown user costs exactly one computation, like a known one") func sameWork() async throws {
        let stored = try await hasher.hash(Secret("x"), pepper: pepper)
        let before = hasher.computations
        let absent = try await hasher.verifyNothing(Secret("y"), pepper: pepper)
        #expect(hasher.computations == before + 1)
        let wrong = try await hasher.verify(Secret("y"), against: stored, pepper: pepper)
        #expect(hasher.computations == before + 2)
        #expect(absent == wrong)
    }

    @Test("requests beyond the queue limit are refused at once, and no waiting one is lost") func bounded() async throws
    {
        let narrow = PasswordHasher(
            jobs: 1,
            queue: 2,
            parameters: Argon2Parameters(memory: 19_456, passes: 2, lanes: 1)
        )
        let pepper = pepper
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask { (try? await narrow.hash(Secret("x"), pepper: pepper)) != nil }
            }
            return await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        let done = outcomes.filter { $0 }.count
        #expect(done >= 3)
        #expect(done < 20)
        #expect(narrow.computations == done)
        #expect(try await narrow.hash(Secret("x"), pepper: pepper).reveal().hasPrefix("$argon2id$"))
    }

    @Test("a request refused for lack of room gets that reason") func busy() async throws {
        let workers = HashWorkers(jobs: 1, queue: 0)
        let refused = await withTaskGroup(of: CredentialError.Code?.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    do {
                        _ = try await workers.run(in: workers.reserve(for: nil)) {
                            try Argon2id.tag(password: [], salt: Array(repeating: 1, count: 16), parameters: .standard)
                        }
                        return nil
                    } catch { return (error as? CredentialError)?.code }
                }
            }
            return await group.reduce(into: Set<CredentialError.Code>()) { codes, code in
                if let code { codes.insert(code) }
            }
        }
        #expect(refused == [.busy])
    }

    @Test("a reserved place blocks others, is valid for one computation, and is free again when it is released")
    func places() async throws {
        let narrow = PasswordHasher(jobs: 1, queue: 0, parameters: Self.cheap)
        let place = try narrow.reserve()
        #expect(throws: CredentialError.busy) { try narrow.reserve() }
        _ = try await narrow.hash(Secret("x"), pepper: pepper, in: place)
        await #expect(throws: CredentialError.busy) { try await narrow.hash(Secret("x"), pepper: pepper, in: place) }
        #expect(narrow.computations == 1)
        let next = try narrow.reserve()
        next.release()
        next.release()
        do {
            // Releasing a place twice makes only one place free.
            let again = try narrow.reserve()
            #expect(throws: CredentialError.busy) { try narrow.reserve() }
            withExtendedLifetime(again) {}
        }
        _ = try narrow.reserve()
    }

    @Test("hashing threads have a lower priority than serving threads") func niceness() async throws {
        let thread = __priority_which_t(PRIO_PROCESS.rawValue)
        let workers = HashWorkers(jobs: 1, queue: 0)
        let found = try await workers.run(in: try workers.reserve(for: nil)) { getpriority(thread, 0) }
        #expect(found >= HashWorkers.niceness)
    }

    @Test("one origin gets 8 of the places and leaves the rest to others") func perOrigin() throws {
        let hasher = PasswordHasher(parameters: Self.cheap)
        var places = try (0..<8).map { _ in try hasher.reserve(for: "1000") }
        #expect(throws: CredentialError.busy) { try hasher.reserve(for: "1000") }
        let others = try (0..<8).map { _ in try hasher.reserve(for: "1001") }
        #expect(throws: CredentialError.busy) { try hasher.reserve(for: "1001") }
        places[0].release()
        places.append(try hasher.reserve(for: "1000"))
        #expect(throws: CredentialError.busy) { try hasher.reserve(for: "1000") }
        // A place is released when its last reference disappears, so this call keeps the places until here.
        withExtendedLifetime((places, others)) {}
    }
}
