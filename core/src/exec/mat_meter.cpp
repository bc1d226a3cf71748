// SPDX-License-Identifier: MIT
#include "core/src/exec/mat_meter.h"

#include <opencv2/core/mat.hpp>

#include <algorithm>
#include <atomic>

namespace arenascope::exec {

namespace {

/// Hands on to OpenCV's own allocator; the matrices stay that one's, so that they may outlive the meter.
class CountingAllocator : public cv::MatAllocator {
public:
    cv::UMatData* allocate(int dims, const int* sizes, int type, void* data, size_t* step, cv::AccessFlag flags,
                           cv::UMatUsageFlags usage) const override
    {
        cv::UMatData* made = cv::Mat::getStdAllocator()->allocate(dims, sizes, type, data, step, flags, usage);
        if (made == nullptr || data != nullptr)
            return made;
        made->currAllocator = made->prevAllocator = this;
        const Bytes now = m_now += static_cast<Bytes>(made->size);
        for (Bytes peak = m_peak; now > peak && !m_peak.compare_exchange_weak(peak, now);) {
        }
        return made;
    }
    bool allocate(cv::UMatData* data, cv::AccessFlag flags, cv::UMatUsageFlags usage) const override
    {
        return cv::Mat::getStdAllocator()->allocate(data, flags, usage);
    }
    void deallocate(cv::UMatData* data) const override
    {
        if (data == nullptr)
            return;
        if ((data->flags & cv::UMatData::USER_ALLOCATED) == 0)
            m_now -= static_cast<Bytes>(data->size);
        data->currAllocator = data->prevAllocator = cv::Mat::getStdAllocator();
        cv::Mat::getStdAllocator()->deallocate(data);
    }

    void restart() const
    {
        m_start = m_now.load();
        m_peak = m_start.load();
    }
    Bytes peak() const { return m_peak - m_start; }

private:
    mutable std::atomic<Bytes> m_now = 0;
    mutable std::atomic<Bytes> m_peak = 0;
    mutable std::atomic<Bytes> m_start = 0;
};

CountingAllocator& allocator()
{
    static CountingAllocator* one = new CountingAllocator; // matrices may be freed by destructors of statics
    return *one;
}

cv::MatAllocator* g_before = nullptr;

} // namespace

MatMeter::MatMeter()
{
    g_before = cv::Mat::getDefaultAllocator();
    cv::Mat::setDefaultAllocator(&allocator());
    restart();
}

MatMeter::~MatMeter()
{
    cv::Mat::setDefaultAllocator(g_before);
}

void MatMeter::restart()
{
    allocator().restart();
}

Bytes MatMeter::peak() const
{
    return allocator().peak();
}

} // namespace arenascope::exec
