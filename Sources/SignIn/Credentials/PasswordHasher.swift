import Crypto
import Foundation
public import OAuth

/// Hashes and verifies passwords with Argon2id on dedicated threads, one computation per thread at a time.
///
/// Passwords are normalized (NFKC, NIST SP 800-63B §3.1.1.2) and mixed with the pepper by HMAC-SHA-256. Every call has
/// the same cost, even if the user does not exist. A call without a `place` reserves a slot itself.
public struct PasswordHasher: Sendable {
    /// The result of comparing a password with a stored hash.
    public struct Verification: Hashable, Sendable {
        /// Whether the password is correct.
        public let matches: Bool
        /// Whether the hash was computed with cost parameters other than the current ones.
        public let needsRehash: Bool
    }

    private let parameters: Argon2Parameters
    private let workers: HashWorkers

    /// Creates a hasher with up to `jobs` computations of 19 MiB each at a time, and up to `queue` waiting ones.
    public init(jobs: Int = 2, queue: Int = 32) {
        self.init(jobs: jobs, queue: queue, parameters: .standard)
    }

    /// Creates a hasher with other cost parameters, for tests in which the default parameters would be too slow.
    package init(jobs: Int = 2, queue: Int = 32, parameters: Argon2Parameters) {
        self.parameters = parameters
        workers = HashWorkers(jobs: jobs, queue: queue)
    }

    /// The number of computations started so far.
    public var computations: Int { workers.computations }

    /// The number of computations that are running or waiting, and the limit on that number.
    public var load: (underWay: Int, most: Int) { (workers.underWay, workers.most) }

    /// Reserves a slot for one computation without waiting, or throws `busy` if too many slots are reserved.
    ///
    /// One origin can use at most a quarter of the queue. If `origin` is `nil`, the caller limits requests itself.
    public func reserve(for origin: String? = nil) throws(CredentialError) -> HashPlace {
        try workers.reserve(for: origin)
    }

    /// Hashes a password with a new salt, and returns the PHC string, or throws `busy` if too many computations wait.
    public func hash(_ password: Secret, pepper: Secret, in place: HashPlace? = nil) async throws -> Secret {
        let salt = Self.random(Argon2id.saltLength)
        let tag = try await tag(of: password, pepper: pepper, salt: salt, parameters: parameters, in: place)
        return PasswordHash(parameters: parameters, salt: salt, tag: tag).text
    }

    /// Compares a password with a stored hash, or throws `busy`, or `malformedHash` if `stored` cannot be read.
    public func verify(
        _ password: Secret,
        against stored: Secret,
        pepper: Secret,
        in place: HashPlace? = nil
    ) async throws -> Verification {
        let hash = try PasswordHash(stored)
        let tag = try await tag(
            of: password,
            pepper: pepper,
            salt: hash.salt,
            parameters: hash.parameters,
            length: hash.tag.count,
            in: place
        )
        return Verification(
            matches: Secret(bytes: tag) == Secret(bytes: hash.tag),
            needsRehash: hash.parameters != parameters
                || hash.salt.count != Argon2id.saltLength
                || hash.tag.count != Argon2id.tagLength
        )
    }

    /// Costs as much as ``verify(_:against:pepper:in:)`` and reports a wrong password, to hide whether the user exists.
    ///
    /// - Throws: A ``CredentialError`` with the code `busy` if too many computations are waiting.
    public func verifyNothing(
        _ password: Secret,
        pepper: Secret,
        in place: HashPlace? = nil
    ) async throws -> Verification {
        let salt = [UInt8](repeating: 0x5a, count: Argon2id.saltLength)
        let tag = try await tag(of: password, pepper: pepper, salt: salt, parameters: parameters, in: place)
        _ = Secret(bytes: tag) == Secret(bytes: salt + salt)
        return Verification(matches: false, needsRehash: false)
    }

    /// Derives a 32-byte key from a passphrase, and returns the key with the recipe for deriving it again.
    ///
    /// If `recipe` is `nil`, a new one is created. Throws `busy` if too many computations are waiting.
    public func key(
        of passphrase: Secret,
        recipe: KeyRecipe? = nil,
        pepper: Secret,
        in place: HashPlace? = nil
    ) async throws -> (key: Secret, recipe: KeyRecipe) {
        let recipe = recipe ?? KeyRecipe(parameters: parameters, salt: Self.random(Argon2id.saltLength))
        let tag = try await tag(
            of: passphrase,
            pepper: pepper,
            salt: recipe.salt,
            parameters: recipe.parameters,
            length: KeyRecipe.keyLength,
            in: place
        )
        return (Secret(bytes: tag), recipe)
    }

    private func tag(
        of password: Secret,
        pepper: Secret,
        salt: [UInt8],
        parameters: Argon2Parameters,
        length: Int = Argon2id.tagLength,
        in place: HashPlace?
    ) async throws -> [UInt8] {
        let place = try place ?? workers.reserve(for: nil)
        return try await workers.run(in: place) {
            let normal = Data(password.reveal().precomposedStringWithCompatibilityMapping.utf8)
            let key = SymmetricKey(data: pepper.revealBytes())
            let peppered = HMAC<SHA256>.authenticationCode(for: normal, using: key)
            return try Argon2id.tag(password: Array(peppered), salt: salt, parameters: parameters, length: length)
        }
    }

    private static func random(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
