import Crypto
import Foundation
public import OAuth

/// Hashes and verifies passwords with Argon2id on dedicated threads, at most one per thread at a time.
///
/// A password is first normalized (NFKC, NIST SP 800-63B §3.1.1.2) and mixed with the pepper by HMAC-SHA-256.
/// Therefore, a stolen database alone is useless. Every call performs exactly one computation of the same cost, whether
/// or not the user exists.
public struct PasswordHasher: Sendable {
    /// The result of comparing a password with a stored hash.
    public struct Verification: Hashable, Sendable {
        /// Whether the password is right.
        public let matches: Bool
        /// Whether the hash was computed with cost parameters other than the current ones.
        public let needsRehash: Bool
    }

    private let parameters: Argon2Parameters
    private let workers: HashWorkers

    /// Creates a hasher with the default cost: 19 MiB, two passes, one lane.
    ///
    /// - Parameters:
    ///   - jobs: The number of passwords that are hashed concurrently. Each needs one thread and 19 MiB.
    ///   - queue: The number of additional passwords that can wait.
    public init(jobs: Int = 2, queue: Int = 32) {
        self.init(jobs: jobs, queue: queue, parameters: .standard)
    }

    /// Creates a hasher with a different cost.
    ///
    /// For tests, which hash so many passwords that the default cost would be too slow.
    package init(jobs: Int = 2, queue: Int = 32, parameters: Argon2Parameters) {
        self.parameters = parameters
        workers = HashWorkers(jobs: jobs, queue: queue)
    }

    /// The number of computations started so far.
    public var computations: Int { workers.computations }

    /// The number of computations that are running or waiting, and the maximum number.
    public var load: (underWay: Int, most: Int) { (workers.underWay, workers.most) }

    /// Reserves a slot for one computation, without waiting.
    ///
    /// - Parameter origin: The origin of the request. One origin can use at most a quarter of the queue, so that it
    ///   cannot block the others. `nil` if the caller limits requests in another way.
    /// - Returns: The slot. It becomes free after its computation or when it is released.
    /// - Throws: ``CredentialError``: `busy` if all callers together or `origin` alone have reserved too many.
    public func reserve(for origin: String? = nil) throws(CredentialError) -> HashPlace {
        try workers.reserve(for: origin)
    }

    /// Hashes a password with a new salt, and returns the PHC string.
    ///
    /// - Parameters:
    ///   - password: The password as it was entered.
    ///   - pepper: The key derived for this purpose from the authority's key.
    ///   - place: The slot reserved for this call, or `nil` to reserve one.
    /// - Returns: The string to store.
    /// - Throws: ``CredentialError``: `busy` if too many computations are waiting.
    public func hash(_ password: Secret, pepper: Secret, in place: HashPlace? = nil) async throws -> Secret {
        let salt = Self.random(Argon2id.saltLength)
        let tag = try await tag(of: password, pepper: pepper, salt: salt, parameters: parameters, in: place)
        return PasswordHash(parameters: parameters, salt: salt, tag: tag).text
    }

    /// Compares a password with a stored hash.
    ///
    /// - Parameters:
    ///   - password: The password as it was entered.
    ///   - stored: The result of ``hash(_:pepper:in:)``.
    ///   - pepper: The key derived for this purpose from the authority's key.
    ///   - place: The slot reserved for this call, or `nil` to reserve one.
    /// - Returns: Whether the password matches, and whether it should be hashed again.
    /// - Throws: ``CredentialError``: `busy` if too many computations are waiting.
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

    /// Performs the same computation as ``verify(_:against:pepper:in:)``, for use when there is no hash to compare
    /// with.
    ///
    /// This way, callers cannot learn whether the user exists.
    ///
    /// - Parameters:
    ///   - password: The password as it was entered.
    ///   - pepper: The key derived for this purpose from the authority's key.
    ///   - place: The slot reserved for this call, or `nil` to reserve one.
    /// - Returns: The result for a wrong password.
    /// - Throws: ``CredentialError``: `busy` if too many computations are waiting.
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

    /// Derives a key from a passphrase.
    ///
    /// - Parameters:
    ///   - passphrase: The passphrase as it was entered.
    ///   - recipe: The salt and cost parameters, or `nil` to create new ones.
    ///   - pepper: A key that belongs to the component that stores the encrypted data.
    ///   - place: The slot reserved for this call, or `nil` to reserve one.
    /// - Returns: 32 bytes, and the recipe that derives them again from the same passphrase.
    /// - Throws: ``CredentialError``: `busy` if too many computations are waiting.
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
