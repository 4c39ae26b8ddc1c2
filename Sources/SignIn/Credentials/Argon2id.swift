import CArgon2
import Foundation

/// Argon2id, version 1.3, by the reference implementation (RFC 9106).
enum Argon2id {
    /// Bytes of a salt (RFC 9106 §3.1).
    static let saltLength = 16
    /// Bytes of a tag.
    static let tagLength = 32

    /// The tag of a password under a salt.
    static func tag(
        password: [UInt8],
        salt: [UInt8],
        parameters: Argon2Parameters,
        length: Int = tagLength
    ) throws(CredentialError) -> [UInt8] {
        var tag = [UInt8](repeating: 0, count: length)
        var (password, salt) = (password, salt)
        let status = tag.withUnsafeMutableBufferPointer { tag in
            password.withUnsafeMutableBufferPointer { password in
                salt.withUnsafeMutableBufferPointer { salt in
                    var context = argon2_context()
                    context.version = ARGON2_VERSION_13.rawValue
                    (context.out, context.outlen) = (tag.baseAddress, UInt32(tag.count))
                    (context.pwd, context.pwdlen) = (password.baseAddress, UInt32(password.count))
                    (context.salt, context.saltlen) = (salt.baseAddress, UInt32(salt.count))
                    (context.t_cost, context.m_cost) = (parameters.passes, parameters.memory)
                    (context.lanes, context.threads) = (parameters.lanes, parameters.lanes)
                    context.allocate_cbk = { memory, count in
                        guard let start = HashMemory.take(count) else {
                            return ARGON2_MEMORY_ALLOCATION_ERROR.rawValue
                        }
                        memory?.pointee = start.assumingMemoryBound(to: UInt8.self)
                        return ARGON2_OK.rawValue
                    }
                    context.free_cbk = { memory, count in
                        if let memory { HashMemory.giveBack(memory, count) }
                    }
                    return argon2id_ctx(&context)
                }
            }
        }
        guard status == ARGON2_OK.rawValue else {
            throw .failed(String(cString: argon2_error_message(status)))
        }
        return tag
    }
}
