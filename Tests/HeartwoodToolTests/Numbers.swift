/// Numbers as the tool prints them.
enum Numbers {
    static func grouped(_ number: Int) -> String {
        let digits = Array(String(number))
        return String(
            digits.indices.flatMap { index in
                index > 0 && (digits.count - index).isMultiple(of: 3) ? [",", digits[index]] : [digits[index]]
            })
    }
}
