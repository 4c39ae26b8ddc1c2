import CArgon2
import Foundation

/// Argon2id, version 1.3, computed by the reference implementation (RFC 9106).
enum Argon2id {
    /// The length of a salt in bytes (RFC 9106 §3.1).
    static let saltLength = 16
    /// The length of a tag in bytes.
    static let tagLength = 32

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
                    context.allocate_cbk = { allocateInLargePages($0, $1) }
                    context.free_cbk = { memory, _ in free(memory) }
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

/// The size of a huge page in bytes.
private let largePage = 2 << 20

/// Allocates memory in huge pages if possible, because page faults otherwise take a quarter of the hashing time.
private func allocateInLargePages(_ memory: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, _ count: Int) -> Int32
{
    var start: UnsafeMutableRawPointer?
    guard posix_memalign(&start, largePage, count) == 0, let start else {
        return ARGON2_MEMORY_ALLOCATION_ERROR.rawValue
    }
    madvise(start, count, MADV_HUGEPAGE)
    memory?.pointee = start.assumingMemoryBound(to: UInt8.self)
    return ARGON2_OK.rawValue
}
