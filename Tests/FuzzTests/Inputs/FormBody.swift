import OAuth

extension FuzzedInput {
    /// The body of a submitted form, or the query of a URL.
    static let form = FuzzedInput(name: "form") { bytes in
        guard let form = try? Form(utf8: bytes) else {
            let more = Array("a=b&".utf8) + bytes
            try require((try? Form(utf8: more)) == nil, "another pair in front makes a rejected form valid")
            return
        }
        let written = Form.encoded(form.pairs)
        guard let again = try? Form(written) else { throw Broken(description: "a form does not read back") }
        try require(again.names == form.names, "a form reads back with other names")
        for name in form.names { try require(again.all(name) == form.all(name), "a form reads back with other values") }
        try require(form.pairs.allSatisfy { !$0.value.isEmpty }, "an empty value is not left out")
        let several = form.names.filter { form.all($0).count > 1 }
        try require(several.isSubset(of: form.repeated), "a repeated parameter is not reported")
    }
}
