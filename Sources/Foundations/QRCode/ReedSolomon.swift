/// Error correction over the field of 256 elements that QR codes use (ISO/IEC 18004 annex A).
enum ReedSolomon {
    /// The codewords of error correction of one block: what is left when it is divided by the generator.
    static func correction(of block: [UInt8], count: Int) -> [UInt8] {
        let generator = generator(count)
        var rest = [UInt8](repeating: 0, count: count)
        for byte in block {
            let factor = byte ^ rest[0]
            rest = Array(rest.dropFirst()) + [0]
            for index in rest.indices { rest[index] ^= product(generator[index], factor) }
        }
        return rest
    }

    /// The polynomial with the roots 2⁰ to 2ⁿ⁻¹, highest power first, without the leading 1.
    private static func generator(_ count: Int) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: count - 1) + [1]
        var root: UInt8 = 1
        for _ in 0..<count {
            for index in result.indices {
                result[index] = product(result[index], root)
                if index + 1 < count { result[index] ^= result[index + 1] }
            }
            root = product(root, 2)
        }
        return result
    }

    /// The product modulo x⁸ + x⁴ + x³ + x² + 1.
    private static func product(_ a: UInt8, _ b: UInt8) -> UInt8 {
        var result = 0
        for index in (0..<8).reversed() {
            result = (result << 1) ^ ((result >> 7) * 0x11D)
            result ^= Int(b >> index & 1) * Int(a)
        }
        return UInt8(truncatingIfNeeded: result)
    }
}
