import Credentials

/// A slow hasher, so that other events can happen during its computation.
enum PasswordSlow {
    static var hasher: PasswordHasher {
        PasswordHasher(parameters: Argon2Parameters(memory: 65_536, passes: 3, lanes: 1))
    }
}
