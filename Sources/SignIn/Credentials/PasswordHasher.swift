import Crypto
import Foundation
public import OAuth

/// Hashes and verifies passwords by Argon2id, on threads of its own and never more at once than these can do.
///
/// A password is first normalised (NFKC, NIST SP 800-63B §3.1.1.2) and mixed with the pepper by HMAC-SHA-256, so that a
/// stolen database alone is no use. Every call is exactly one computation of equal cost, whether there is a user or not.
public struct PasswordHasher: Sendable {
    /// Result of comparing a password with a stored hash.
    public struct Verification: Hashable, Sendable {
        /// True for the right password.
        public let matches: Bool
        /// True if the hash was made at other costs than those of today.
        public let needsRehash: Bool
    }

    private let parameters: Argon2Parameters
    private let workers: HashWorkers

    /// A hasher of standard cost: 19 MiB, two passes, one lane.
    ///
    /// - Parameters:
    ///   - jobs: How many passwords are hashed at once; each takes a thread and 19 MiB.
    ///   - queue: How many more may wait.
    public init(jobs: Int = 2, queue: Int = 32) {
        self.init(jobs: jobs, queue: queue, parameters: .standard)
    }

    /// A hasher of another cost; for tests, which hash more than people do.
    package init(jobs: Int = 2, queue: Int = 32, parameters: Argon2Parameters) {
        self.parameters = parameters
        workers = HashWorkers(jobs: jobs, queue: queue)
    }

    /// Number of computations begun since the start.
    public var computations: Int { workers.computations }

    /// Number of computations that run or wait, and the maximum of them.
    public var load: (underWay: Int, most: Int) { (workers.underWay, workers.most) }

    /// Takes a place for one computation, without waiting.
    ///
    /// - Parameter origin: Who asks; one origin has no more places than a quarter of the queue, so that it cannot keep
    ///   the others out. Nothing for who is bounded otherwise.
    /// - Returns: The place, which is free again after its computation or when it is let go.
    /// - Throws: ``CredentialError``, `busy` if as many are taken as there are, by all or by `origin`.
    public func reserve(for origin: String? = nil) throws(CredentialError) -> HashPlace {
        try workers.reserve(for: origin)
    }

    /// The PHC string of a password under a new salt.
    ///
    /// - Parameters:
    ///   - password: The password as it was typed.
    ///   - pepper: The key that the authority's key gives for this.
    ///   - place: The place that was taken for it; without one it takes one.
    /// - Returns: What to store.
    /// - Throws: ``CredentialError``, `busy` if too many wait.
    public func hash(_ password: Secret, pepper: Secret, in place: HashPlace? = nil) async throws -> Secret {
        let salt = Self.random(Argon2id.saltLength)
        let tag = try await tag(of: password, pepper: pepper, salt: salt, parameters: parameters, in: place)
        return PasswordHash(parameters: parameters, salt: salt, tag: tag).text
    }

    /// Compares a password with a stored hash.
    ///
    /// - Parameters:
    ///   - password: The password as it was typed.
    ///   - stored: What ``hash(_:pepper:in:)`` gave.
    ///   - pepper: The key that the authority's key gives for this.
    ///   - place: The place that was taken for it; without one it takes one.
    /// - Returns: Whether it matches, and whether it should be hashed anew.
    /// - Throws: ``CredentialError``, `busy` if too many wait.
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

    /// Does what ``verify(_:against:pepper:in:)`` does where there is nothing to verify against, so that nobody can tell.
    ///
    /// - Parameters:
    ///   - password: The password as it was typed.
    ///   - pepper: The key that the authority's key gives for this.
    ///   - place: The place that was taken for it; without one it takes one.
    /// - Returns: What a wrong password gives.
    /// - Throws: ``CredentialError``, `busy` if too many wait.
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

    /// The key that a passphrase stands for.
    ///
    /// - Parameters:
    ///   - passphrase: The passphrase as it was typed.
    ///   - recipe: With which salt and costs; nil makes a new one.
    ///   - pepper: A key of whoever keeps what the key opens.
    ///   - place: The place that was taken for it; without one it takes one.
    /// - Returns: 32 bytes, and the recipe by which the same passphrase gives them again.
    /// - Throws: ``CredentialError``, `busy` if too many wait.
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
